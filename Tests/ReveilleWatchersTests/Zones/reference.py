# SPDX-License-Identifier: Apache-2.0
"""Writes what Python's zoneinfo says about time zones, and the slots of random calendar rules.

    reference.py FILE SEED ENTRIES

Lines of FILE:
    zone NAME OFFSET TIME:OFFSET ...      the offset at the start of 1900, then all changes until the end of 2100
    at NAME TIME:OFFSET ...               the offsets at random times
    rule NAME TIME PARTS SLOT ...         the slots after a time; the last one is 'end' if there is none for some years;
                                          several weekdays are joined by '+'

The rules are carried out naively: each day and each time of day that matches is converted by itself.
"""
import bisect
import random
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones
from zoneinfo._zoneinfo import ZoneInfo as ReadableZone  # written in Python, with a table to read

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1)
FIRST = int(datetime(1900, 1, 1, tzinfo=UTC).timestamp())
LAST = int(datetime(2101, 1, 1, tzinfo=UTC).timestamp()) - 1
# No zone has ever been further from UTC.
FARTHEST = 16 * 3600
# How many days are searched for the slots of a rule.
PATIENCE = 9 * 366
ODD = ["Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Asia/Kathmandu", "Africa/Casablanca", "Europe/Dublin",
       "Antarctica/Troll", "Pacific/Kiritimati", "Africa/Monrovia", "Europe/Amsterdam", "America/Sao_Paulo",
       "Asia/Beirut", "America/Havana", "Africa/Cairo", "America/Scoresbysund", "Asia/Gaza", "America/Caracas",
       "Pacific/Kwajalein", "Europe/Berlin", "America/New_York", "Atlantic/Azores", "America/St_Johns", "Asia/Tehran"]


def offset(zone, time):
    return round(datetime.fromtimestamp(time, zone).utcoffset().total_seconds())


def first_with(zone, low, high, wanted):
    """The first time after low that has an offset, which the time high has."""
    while high - low > 1:
        middle = (low + high) // 2
        if offset(zone, middle) == wanted:
            high = middle
        else:
            low = middle
    return high


def changes(name, zone):
    """All changes: first from the table, then by a look at each month."""
    table = list(ReadableZone(name)._trans_utc)
    times = [time for time in table if FIRST < time <= LAST]
    found, last = [], offset(zone, FIRST)
    for time in times:
        if offset(zone, time) != last:
            last = offset(zone, time)
            found.append((time, last))
    month = max(FIRST, table[-1] if table else FIRST)
    while month < LAST:
        following = min(month + 14 * 86400, LAST)
        if offset(zone, following) != last:
            last = offset(zone, following)
            found.append((first_with(zone, month, following, last), last))
        month = following
    return found


def matching_times(hour, minute, second):
    if hour is None and minute is None and second is None:
        return [(0, 0, 0)]
    hours = range(24) if hour is None else [hour]
    if minute is None:
        minutes = [0] if second is None else range(60)
    else:
        minutes = [minute]
    return [(h, m, second or 0) for h in hours for m in minutes]


def matches(day, month, wanted, weekday, is_month_alone):
    if month is not None and day.month != month:
        return False
    if is_month_alone:
        return day.day == 1
    if wanted == -1 and (day + timedelta(1)).day != 1:
        return False
    if wanted is not None and wanted > 0 and day.day != wanted:
        return False
    return weekday is None or day.isoweekday() in weekday


def slots(zone, start, parts, wanted):
    month, day, weekday, hour, minute, second = parts
    times = matching_times(hour, minute, second)
    are_real = hour is None and (minute is not None or second is not None)
    is_month_alone = all(part is None for part in parts[1:])
    found = set()
    today = (EPOCH + timedelta(seconds=start)).date() - timedelta(2)
    end = today + timedelta(PATIENCE)
    rest = None
    while today < end:
        if month is not None and today.month != month:
            # Only to save time.
            today = (today.replace(day=1) + timedelta(32)).replace(day=1)
            continue
        if matches(today, month, day, weekday, is_month_alone):
            for h, m, s in times:
                wall = datetime(today.year, today.month, today.day, h, m, s)
                naive = round((wall - EPOCH).total_seconds())
                if naive + FARTHEST < start:
                    continue
                offsets = [round(wall.replace(fold=fold, tzinfo=zone).utcoffset().total_seconds()) for fold in (0, 1)]
                shown = sorted({naive - o for o in offsets if offset(zone, naive - o) == o})
                if are_real:
                    found.update(time for time in shown if time > start)
                elif shown:
                    found.update(time for time in shown[:1] if time > start)
                else:
                    # In a gap, whose end is the change to the later of the two offsets.
                    after = first_with(zone, naive - offsets[1] - 1, naive - offsets[0], offsets[1])
                    if after > start:
                        found.add(after)
                # Times that come twice may precede the times of the hours before: Kwajalein repeated 23 hours.
                if offsets[0] == offsets[1] and len(found) > wanted + 200:
                    break
            if rest is None and len(found) >= wanted:
                # A slot of the next days may be before one of this day.
                rest = today + timedelta(2)
        today += timedelta(1)
        if rest is not None and today > rest:
            return [str(time) for time in sorted(found)[:wanted]]
    return [str(time) for time in sorted(found)[:wanted]] + ([] if len(found) >= wanted else ["end"])


def random_parts(choose):
    while True:
        given = [choose.random() < p for p in (0.15, 0.3, 0.2, 0.5, 0.5, 0.1)]
        values = [choose.randint(1, 12), choose.choice([-1, 1, 15, 28, 29, 30, 31, choose.randint(1, 31)]),
                  choose.sample(range(1, 8), choose.choice([1, 1, 2, 5, 7])), choose.choice([0, 0, 1, 2, 2, 3, choose.randint(0, 23)]),
                  choose.choice([0, 0, 15, 30, 30, 45, choose.randint(0, 59)]), choose.choice([0, 59, 30])]
        parts = [value if is_given else None for value, is_given in zip(values, given)]
        if any(given):
            return parts


def text(part):
    return "+".join(map(str, part)) if isinstance(part, list) else str(part)


def main():
    path, seed, entries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    choose = random.Random(seed)
    zones = {name: ZoneInfo(name) for name in sorted(available_timezones() - {"localtime"})}
    table = {name: changes(name, zone) for name, zone in zones.items()}
    with open(path, "w") as file:
        for name, zone in zones.items():
            print("zone", name, offset(zone, FIRST), *(f"{t}:{o}" for t, o in table[name]), file=file)
            times = [choose.randint(FIRST, LAST) for _ in range(60)]
            print("at", name, *(f"{t}:{offset(zone, t)}" for t in times), file=file)
        odd = [name for name in ODD if name in zones]
        for _ in range(entries):
            name = choose.choice(odd if choose.random() < 0.5 else list(zones))
            changed = [time for time, _ in table[name]]
            if changed and choose.random() < 0.7:
                start = choose.choice(changed) + choose.randint(-2 * 86400, 90000)
            else:
                start = choose.randint(0, LAST)
            parts = random_parts(choose)
            wanted = choose.choice([1, 3, 3, 30])
            words = ",".join("" if part is None else text(part) for part in parts)
            print("rule", name, start, words, *slots(zones[name], start, parts, wanted), file=file)


main()
