// SPDX-License-Identifier: Apache-2.0

// A battery and an adapter whose values are words in memory, which power.c writes through /dev/mem.
//
// The kernel's command line excludes the page from its RAM. The emulator fills it with zeros, so the guest boots
// without a pack and with the adapter unplugged.
DefinitionBlock ("", "SSDT", 2, "REVEIL", "TESTPOWR", 1)
{
    Scope (\_SB)
    {
        OperationRegion (BOX, SystemMemory, 0x07FF0000, 0x20)
        Field (BOX, DWordAcc, NoLock, Preserve)
        {
            PACK, 32, // 0x00: whether a pack is in the slot
            STAT, 32, // 0x04: 1 discharging, 2 charging
            FLOW, 32, // 0x08: mW
            LEFT, 32, // 0x0C: mWh
            MAIN, 32, // 0x10: whether the adapter is plugged in
            TELL, 32, // 0x14: the notification to send: 1 status, 2 pack, 4 adapter
            TOLD, 32  // 0x18: the number of completed notifications
        }

        // A byte "transmitted" by the second serial port raises IRQ 3, which nothing else uses.
        OperationRegion (COM2, SystemIO, 0x02F8, 0x08)
        Field (COM2, ByteAcc, NoLock, Preserve)
        {
            Offset (2),
            IDEN, 8 // reading it clears the interrupt
        }

        Device (EVNT)
        {
            Name (_HID, "ACPI0013") // Generic Event Device
            Name (_CRS, ResourceTemplate ()
            {
                Interrupt (ResourceConsumer, Edge, ActiveHigh, Exclusive) { 3 }
            })

            Method (_EVT, 1, Serialized)
            {
                Local0 = IDEN
                Local1 = TELL
                TELL = 0
                If (Local1 & 1) { Notify (BAT0, 0x80) }
                If (Local1 & 2) { Notify (BAT0, 0x81) }
                If (Local1 & 4) { Notify (ADP0, 0x80) }
                TOLD++
            }
        }

        Device (ADP0)
        {
            Name (_HID, "ACPI0003")
            Name (_PCL, Package () { \_SB })
            Method (_PSR) { Return (MAIN) }
        }

        Device (BAT0)
        {
            Name (_HID, EisaId ("PNP0C0A"))
            Name (_UID, 1)
            Name (_PCL, Package () { \_SB })

            Method (_STA)
            {
                If (PACK) { Return (0x1F) }
                Return (0x0F)
            }

            // In mWh: design capacity 50000, last full capacity 50000; 11.1 V; warning levels, granularity; names.
            Name (_BIF, Package ()
            {
                0, 50000, 50000, 1, 11100, 2500, 1000, 1, 1, "RVL-50", "1", "LION", "Reveille"
            })

            Method (_BST, 0, Serialized)
            {
                Name (BUFF, Package () { 0, 0, 0, 11100 })
                BUFF[0] = STAT
                BUFF[1] = FLOW
                BUFF[2] = LEFT
                Return (BUFF)
            }
        }
    }
}
