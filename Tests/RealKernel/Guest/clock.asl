// The clock of the emulated machine of arm64, which its firmware keeps to itself. The kernel recognizes it by its registers, so
// any name of such a device will do.
DefinitionBlock ("", "SSDT", 2, "REVEIL", "TESTCLCK", 1)
{
    Device (\_SB.CLCK)
    {
        Name (_HID, "ARMH0061")
        Name (_UID, 31)
        Name (_CRS, ResourceTemplate ()
        {
            Memory32Fixed (ReadWrite, 0x09010000, 0x1000)
            Interrupt (ResourceConsumer, Level, ActiveHigh, Exclusive) { 34 }
        })
    }
}
