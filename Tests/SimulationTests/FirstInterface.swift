// SPDX-License-Identifier: Apache-2.0

/// The first version of the interface, without its comments.
///
/// Clients may have been generated from it, and refuse replies with other fields.
let firstInterface = """
    interface org.reveille.Bus

    type Locale (
      identifier: string,
      languages: []string,
      numeric: string,
      time: string,
      monetary: string,
      measurement: string
    )

    type DefaultsDomain (
      domain: string,
      path: string,
      keys: []string,
      opaque: bool
    )

    type Defaults (
      domains: []DefaultsDomain
    )

    type BatteryPack (
      name: string,
      level: ?float,
      chargeStatus: string
    )

    type Battery (
      state: string,
      level: ?float,
      plugged: ?bool,
      chargeStatus: string,
      packs: []BatteryPack
    )

    type Proximity (
      state: string
    )

    type Orientation (
      pose: string,
      planar: ?string
    )

    type Event (
      aspect: string,
      generation: int,
      sequence: int,
      changes: int,
      netChange: bool,
      firstChangedAt: int,
      changedAt: int,
      dropped: int,
      locale: ?Locale,
      defaults: ?Defaults,
      battery: ?Battery,
      proximity: ?Proximity,
      orientation: ?Orientation
    )

    type Position (
      aspect: string,
      generation: int
    )

    type Policy (
      aspect: string,
      background: ?string,
      limit: ?int,
      netChangeOnly: ?bool
    )

    type Pending (
      aspect: string,
      changes: int
    )

    type Subscription (
      subscription: string,
      name: ?string,
      pid: int,
      uid: int,
      aspects: []string,
      held: []string,
      pending: []Pending,
      events: int,
      changes: int
    )

    type AspectInfo (
      aspect: string,
      available: bool,
      monitored: bool,
      source: ?string,
      reason: ?string
    )

    method Subscribe(
      aspects: ?[]string,
      name: ?string,
      state: ?string,
      initial: ?bool,
      instance: ?string,
      resume: ?[]Position,
      policies: ?[]Policy
    ) -> (
      subscription: ?string,
      instance: ?string,
      resumed: ?bool,
      events: []Event
    )

    method SetState(subscription: string, state: string, wakeAfter: ?int) -> ()

    method GetState(aspects: ?[]string) -> (instance: string, events: []Event)

    method ListSubscriptions() -> (subscriptions: []Subscription)

    method DescribeAspects() -> (aspects: []AspectInfo)

    method Refresh() -> ()

    method Post(
      locale: ?Locale,
      defaults: ?Defaults,
      battery: ?Battery,
      proximity: ?Proximity,
      orientation: ?Orientation
    ) -> (generation: int, sequence: int)

    error NoSuchSubscription (subscription: string)

    error QuotaExceeded (quota: string, limit: int)
    """
