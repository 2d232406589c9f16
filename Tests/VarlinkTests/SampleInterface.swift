// SPDX-License-Identifier: Apache-2.0

import Varlink

/// An interface that uses every construct of the language.
enum SampleInterface {
    static let text = """
        # A sample. Comments (with anything: in them) are part of the text.

        interface org.example.sample-2.Lamp  # behind the name

        type Color (red, green, blue)
        type Single (only)
        type Nothing ()

        # A lamp.
        type Lamp (
          # Its name.
          name: string,
          level: ?float,
          color: Color, # behind a field
          parts: []Lamp
        )

        type All(
          bool: bool, int: int, float: float, string: string, object: object, any: any,
          enum: (one, two, three),
          struct: (first: int, second: (deep: ?bool)),
          array: []string,
          matrix: [][]int,
          dictionary: [string]string,
          stringset: [string](),
          nullable: ?string,
          nullable_array_struct: ?[](first: int, second: string),
          nullable_elements: []?[string](foo, bar),
          type: Nothing
        )

        method Empty() -> ()
        method Set(
          lamp: Lamp,
          policies: ?[](name: string, limit: ?int),
          byName: ?[string]Lamp
        ) -> (
          generation: int
        )
        method Take(all: All) -> (all: All)

        error NoLamp (name: string)
        error Dark()

        """

    static func parsed() throws(InterfaceError) -> Interface {
        try Interface(parsing: text)
    }
}
