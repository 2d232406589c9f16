// SPDX-License-Identifier: Apache-2.0

enum TimelineStyle {
    /// The colors of lanes, which repeat; each lane also has its name.
    static let hues = 10

    /// The style sheet.
    ///
    /// Colors have a contrast of at least 4.5 to 1 where they are text.
    static let sheet = """
        text { font: 13px system-ui, sans-serif; fill: #1f2328; }
        .title { font-size: 19px; font-weight: 600; }
        .heading { font-size: 15px; font-weight: 600; }
        .muted { fill: #59636e; }
        .on { fill: #ffffff; font-weight: 600; font-size: 12px; }
        .page { fill: #ffffff; }
        .lane { fill: #f6f8fa; }
        .grid { stroke: #d1d9e0; stroke-width: 1; }
        .sleep { fill: #dfe4ea; }
        .edge { stroke: #59636e; stroke-width: 1; stroke-dasharray: 4 3; }
        .line { fill: none; stroke-width: 2.5; }
        .area { opacity: 0.16; }
        .segment { opacity: 0.2; }
        .f0 { fill: #0550ae; } .s0 { stroke: #0550ae; }
        .f1 { fill: #a40e26; } .s1 { stroke: #a40e26; }
        .f2 { fill: #116329; } .s2 { stroke: #116329; }
        .f3 { fill: #6639ba; } .s3 { stroke: #6639ba; }
        .f4 { fill: #953800; } .s4 { stroke: #953800; }
        .f5 { fill: #0e6a75; } .s5 { stroke: #0e6a75; }
        .f6 { fill: #b02a7e; } .s6 { stroke: #b02a7e; }
        .f7 { fill: #7a5200; } .s7 { stroke: #7a5200; }
        .f8 { fill: #49651b; } .s8 { stroke: #49651b; }
        .f9 { fill: #57606a; } .s9 { stroke: #57606a; }
        @media (prefers-color-scheme: dark) {
        text { fill: #f0f6fc; }
        .muted { fill: #9198a1; }
        .on { fill: #0d1117; }
        .page { fill: #0d1117; }
        .lane { fill: #151b23; }
        .grid { stroke: #3d444d; }
        .sleep { fill: #262c36; }
        .edge { stroke: #9198a1; }
        .f0 { fill: #79c0ff; } .s0 { stroke: #79c0ff; }
        .f1 { fill: #ff9492; } .s1 { stroke: #ff9492; }
        .f2 { fill: #56d364; } .s2 { stroke: #56d364; }
        .f3 { fill: #d2a8ff; } .s3 { stroke: #d2a8ff; }
        .f4 { fill: #ffa657; } .s4 { stroke: #ffa657; }
        .f5 { fill: #6fdde8; } .s5 { stroke: #6fdde8; }
        .f6 { fill: #f778ba; } .s6 { stroke: #f778ba; }
        .f7 { fill: #e3b341; } .s7 { stroke: #e3b341; }
        .f8 { fill: #b6d96c; } .s8 { stroke: #b6d96c; }
        .f9 { fill: #adbac7; } .s9 { stroke: #adbac7; }
        }

        """
}
