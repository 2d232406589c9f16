// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem

struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reveille",
        abstract: "Deliver the device's changes to programs, merged while they sleep.",
        discussion: """
            Start a bus with 'reveille serve' and follow it with 'reveille watch'. A subscriber in the background \
            receives nothing; when it wakes, it receives one event for each aspect that changed \
            (\(Aspect.device.map(\.name).joined(separator: ", "))). The aspect 'defaults' is the user's settings. \
            Programs publish states of their own under names, such as org.example.player, which are aspects too.

            EXAMPLES
              reveille demo                             demonstrate the bus
              reveille watch battery --json             print changes as JSON
              reveille on battery 'level < 0.1' -- notify-send low
                                                        run a command on a condition
              reveille log --since 1h                   print the changes of the last hour
              reveille publish org.example.player '{"volume": 0.5}'
                                                        publish a state of your own
              reveille schedule add tea org.example.tea --at 18:00
                                                        publish one at a set time
              reveille run --name player -- ./player    run a program that can be suspended
              reveille simulate day.scenario -- ./app   run a program on a phone
              reveille top                              show the bus live

            EXIT CODES
              0 success, 1 failure, 64 usage error, 69 bus unavailable, 74 output error,
              75 temporary failure, 76 protocol error, 77 permission denied,
              78 configuration error, 124 timeout, 127 program not started
            """,
        version: Device.libraryVersion,
        subcommands: [
            // Observe
            WatchCommand.self, OnCommand.self, RulesCommand.self, GetCommand.self, LogCommand.self, PlotCommand.self,
            TopCommand.self, StatusCommand.self, InfoCommand.self, CheckCommand.self,
            // Publish
            PublishCommand.self, WithdrawCommand.self,
            // Programs
            RunCommand.self, TaskCommand.self, HoldCommand.self, SuspendCommand.self, WakeCommand.self,
            // Schedule
            ScheduleCommand.self,
            // Serve and test
            ServeCommand.self, DoctorCommand.self, SimulateCommand.self, DemoCommand.self, PostCommand.self,
            RefreshCommand.self, CallCommand.self,
        ])

    /// The commands on one screen; the manual has the rest.
    fileprivate static let overview = """
        Deliver the device's changes to programs, merged while they sleep.
        Usage: reveille COMMAND [OPTIONS]; 'reveille help COMMAND' explains a command.

        OBSERVE
          watch       print each change           on          run when a condition holds
          rules       follow a file of rules      get         print the current state
          log         print the latest changes    plot        draw a number as a chart
          top         show the bus live           status      list sources, subscribers
          info        describe the device         check       ask for capabilities
        PUBLISH
          publish     publish a state             withdraw    withdraw it
        PROGRAMS
          run         run one that can sleep      task        finish before a suspension
          hold        hold it in the background   suspend     freeze it, too
          wake        deliver what changed
        SCHEDULE
          schedule    publish values at set times, and start programs for them
        SERVE AND TEST
          serve       run the bus                 doctor      examine the sources
          simulate    run on a synthetic phone    demo        see a sleeper wake
          post        post a state for testing    refresh     read all sources again
          call        call any method
        Examples and exit codes: 'man reveille'. The idea: 'man 7 reveille'.
        """
}

/// Runs the command that the arguments of this process name; the whole program `reveille`.
package func runReveille() {
    // The Swift runtime would report a crash and continue.
    if !IgnoredSignals.contains(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    // A process that ignores this signal, by inheritance, cannot wait for its programs.
    signal(SIGCHLD, SIG_DFL)
    Tool.runProgram(overview: Tool.overview)
}
