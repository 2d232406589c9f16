// A battery and an adapter whose values power.c writes, as the speeds of two fans: the kernel passes them on at once and waits
// for the firmware's code. The guest boots without a pack and with the adapter unplugged.
DefinitionBlock ("", "SSDT", 2, "REVEIL", "TESTPOWR", 1)
{
    Scope (\_SB)
    {
        // The bytes, in the order of power.c, and the one that the next value is for.
        Name (VALS, Buffer (5) { 0, 0, 0, 0, 0 })
        CreateByteField (VALS, 0, PACK) // whether a pack is in the slot
        CreateByteField (VALS, 1, STAT) // 0 idle, 1 discharging, 2 charging
        CreateByteField (VALS, 2, LEFT) // percent
        CreateByteField (VALS, 3, MAIN) // whether the adapter is plugged in
        CreateByteField (VALS, 4, TELL) // the notification to send: 1 status, 2 pack, 4 adapter
        Name (NEXT, 0)

        // Fans with a speed of 0 to 100 in steps of 1.
        Device (FAN0)
        {
            Name (_HID, EisaId ("PNP0C0B"))
            Name (_UID, 0)
            Name (_FIF, Package () { 0, 1, 1, 0 })
            Name (_FPS, Package () { 0, Package () { 100, 0, 0, 0, 0 } })
            Name (_FST, Package () { 0, 0, 0 })
            Method (_FSL, 1) { NEXT = Arg0 }
        }
        Device (FAN1)
        {
            Name (_HID, EisaId ("PNP0C0B"))
            Name (_UID, 1)
            Name (_FIF, Package () { 0, 1, 1, 0 })
            Name (_FPS, Package () { 0, Package () { 100, 0, 0, 0, 0 } })
            Name (_FST, Package () { 0, 0, 0 })
            Method (_FSL, 1, Serialized)
            {
                VALS[NEXT] = Arg0
                If (TELL == 1) { Notify (BAT0, 0x80) }
                If (TELL == 2) { Notify (BAT0, 0x81) }
                If (TELL == 4) { Notify (ADP0, 0x80) }
                TELL = 0
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
                BUFF[1] = 0
                If (STAT) { BUFF[1] = 9000 }
                BUFF[2] = LEFT * 500
                Return (BUFF)
            }
        }
    }
}
