"""What the papers measured with Java PathFinder: on the I/O cache, on selectors, and on search-carrying code.

BRANCHING: "Cache-based Model Checking of Networked Applications: From Linear to Branching Time", Tables III and IV;
times in seconds, None: not finished in an hour, REFUSED: "cannot be handled due to state mismatch".
LINEAR: "Efficient Model Checking of Networked Applications", Table 2 (its I/O cache); limit two hours.
"""
REFUSED = "refused"
HOUR = None

# (program, threads, messages): ((seconds none, linear, branching), states new with branching in thousands,
#                                (re)connections: none, branching)
BRANCHING = {
    ("daytime client", 2, 1): ((27, 1, 1), 0.3, (1056, 2)),
    ("daytime client", 3, 1): ((HOUR, 25, 36), 55.2, (None, 3)),
    ("http client", 2, 1): ((181, 10, 12), 0.9, (4835, 2)),
    ("http server", 2, 1): ((HOUR, 270, 107), 132.1, (None, 2)),
    ("http server, counter", 2, 1): ((HOUR, REFUSED, 133), 137.0, (None, 4)),
    ("http server, date (pws)", 2, 1): ((HOUR, REFUSED, 103), 70.6, (None, 3)),
    ("jget", 2, 1): ((783, 15, 16), 4.8, (28701, 3)),
    **{("alphabet client", t, m): (seconds, states, connections) for t, m, seconds, states, connections in [
        (2, 1, (70, 1, 1), 0.3, (2644, 2)), (2, 2, (329, 2, 2), 1.1, (12142, 2)), (2, 3, (896, 3, 3), 2.8, (32572, 2)),
        (2, 4, (1919, 6, 5), 5.8, (69172, 2)), (2, 5, (3572, 9, 9), 10.5, (128232, 2)),
        (3, 1, (HOUR, 6, 6), 6.1, (None, 3)), (3, 2, (HOUR, 40, 37), 44.7, (None, 3)),
        (3, 3, (HOUR, 159, 140), 167.7, (None, 3)), (3, 4, (HOUR, 471, 404), 471.1, (None, 3)),
        (3, 5, (HOUR, 1177, 1010), 1113.7, (None, 3)),
        (4, 1, (HOUR, 136, 132), 137.8, (None, 4)), (4, 2, (HOUR, 2122, 1855), 1691.8, (None, 4))]},
    **{("alphabet server", t, m): (seconds, states, connections) for t, m, seconds, states, connections in [
        (2, 1, (142, 2, 5), 0.0, (268, 2)), (2, 2, (296, 2, 5), 0.1, (560, 2)), (2, 3, (497, 3, 5), 0.2, (940, 2)),
        (2, 4, (745, 3, 5), 0.2, (1408, 2)), (2, 5, (1044, 3, 6), 0.3, (1972, 2)),
        (3, 1, (2929, 3, 7), 0.4, (5559, 3)), (3, 2, (HOUR, 4, 8), 1.1, (None, 3)), (3, 3, (HOUR, 6, 10), 2.3, (None, 3)),
        (3, 4, (HOUR, 6, 11), 4.2, (None, 3)), (3, 5, (HOUR, 8, 13), 7.0, (None, 3)),
        (4, 1, (HOUR, 10, 16), 7.5, (None, 4)), (4, 2, (HOUR, 21, 30), 26.2, (None, 4)),
        (4, 3, (HOUR, 45, 63), 66.2, (None, 4)), (4, 4, (HOUR, 84, 123), 139.3, (None, 4)),
        (4, 5, (HOUR, 143, 224), 260.2, (None, 4)),
        (5, 1, (HOUR, 36, 60), 52.4, (None, 5)), (5, 2, (HOUR, 199, 233), 228.4, (None, 5)),
        (5, 3, (HOUR, 585, 682), 678.9, (None, 5)), (5, 4, (HOUR, 1427, 1655), 1637.6, (None, 5)),
        (5, 5, (HOUR, 3258, 3522), 3442.8, (None, 5)),
        (6, 1, (HOUR, 260, 481), 418.0, (None, 6)), (6, 2, (HOUR, 2563, 2824), 2360.6, (None, 6)),
        (7, 1, (HOUR, 2195, HOUR), None, (None, None))]},
    ("chat server, abstracted", 2, 1): ((HOUR, 3, 6), 1.5, (None, 2)),
    ("chat server, abstracted", 3, 1): ((HOUR, 12, 24), 46.5, (None, 3)),
    ("chat server, abstracted", 4, 1): ((HOUR, 500, 1213), 2718.0, (None, 4)),
    ("chat server, full", 2, 1): ((HOUR, REFUSED, 10), 1.5, (None, 4)),
    ("chat server, full", 3, 1): ((HOUR, REFUSED, 57), 46.5, (None, 18)),
    ("chat server, full", 4, 1): ((HOUR, REFUSED, 1465), 2718.0, (None, 96)),
    ("webdav client", 2, 1): ((230, 4, 4), 3.4, (8907, 0)),
    ("webdav server", 2, 1): ((HOUR, 836, 810), 1446.2, (None, 2)),
}
# Rows beyond the tables: nobody has finished them.
BEYOND = [("daytime client", 4, 1), ("daytime client", 5, 1), ("alphabet client", 4, 3), ("alphabet server", 7, 2),
          ("alphabet server", 8, 1), ("chat server, full", 5, 1)]

# (program, threads, scale): seconds with the linear cache, states new.
LINEAR = {
    ("daytime client", 2, 1): (1, 204), ("daytime client", 3, 1): (3, 2140), ("daytime client", 4, 1): (38, 25744),
    ("daytime client", 5, 1): (616, 356122), ("daytime client", 6, 1): (None, None),
    ("jget", 2, 1): (50, 31015),
    ("alphabet client", 2, 1): (4, 3631), ("alphabet client", 2, 2): (11, 11386), ("alphabet client", 2, 3): (25, 27211),
    ("alphabet client", 2, 4): (50, 54246), ("alphabet client", 2, 5): (88, 96253),
    ("alphabet client", 3, 1): (282, 226646), ("alphabet client", 3, 2): (1814, 1383304),
    ("alphabet client", 3, 3): (6818, 5017624), ("alphabet client", 3, 4): (None, None),
    ("alphabet server", 5, 3): (5866, 4407369), ("alphabet server", 6, 1): (2545, 1487902),
    ("alphabet server", 6, 2): (None, None), ("alphabet server", 7, 1): (None, None),
    ("chat server, abstracted", 2, 1): (8, 4100), ("chat server, abstracted", 3, 1): (232, 115036),
    ("chat server, abstracted", 4, 1): (None, None),
}

# "Software Model Checking for Distributed Systems with Selector-Based, Non-blocking Communication", Tables II and III.
# group: {(connections, messages): (seconds, states, hits, misses, connections)}; limit one hour.


def _rows(connections, *figures):
    """Rows of one number of connections, messages from 2 on: misses are connections times messages."""
    return {(connections, m): (seconds, states, hits, connections * m, connections)
            for m, (seconds, states, hits) in enumerate(figures, start=2)}


SELECTOR = {
    "full": {
        **_rows(3, (20, 21167, 6144), (20, 21132, 9174), (21, 21085, 12248), (20, 19319, 14025)),
        **_rows(4, (872, 1024777, 253690), (879, 1027160, 382641), (901, 1030336, 512256), (774, 878633, 553835)),
        **{(5, m): (HOUR, None, None, None, None) for m in (2, 3, 4, 5)}},
    "accept always": {
        **_rows(3, (5, 3515, 714), (5, 3515, 1071), (5, 3515, 1428), (5, 3523, 1785)),
        **_rows(4, (77, 87650, 15692), (77, 87062, 23607), (76, 86146, 31448), (78, 85447, 39625)),
        **_rows(5, (2748, 3234209, 503554), (2735, 3180206, 760629), (2761, 3230047, 1015688), (2814, 3225251, 1254225))},
    "read always": {
        **_rows(3, (4, 2308, 444), (4, 2300, 666), (4, 2259, 888), (4, 2249, 1115)),
        **_rows(4, (35, 40466, 6688), (36, 40374, 10125), (36, 41980, 13344), (36, 41233, 16355)),
        **_rows(5, (636, 825675, 108590), (650, 824890, 164463), (700, 890592, 233988), (692, 870881, 284035))},
    "write always": {
        **_rows(3, (6, 3630, 2172), (6, 3765, 3426), (6, 4564, 4564), (6, 3533, 5350)),
        **_rows(4, (78, 75002, 41396), (83, 78371, 65733), (82, 77822, 86144), (72, 67664, 95980)),
        **_rows(5, (2013, 1983290, 986068), (2123, 2080656, 1555407), (2138, 2073928, 2071668), (1774, 1707459, 2155315))},
    "threads": {
        **_rows(3, (3, 4113, 2736), (4, 6433, 5009), (6, 9391, 8282), (7, 13059, 12393)),
        **_rows(4, (34, 62515, 53205), (55, 107849, 109501), (87, 171367, 193993), (127, 257083, 313911)),
        **_rows(5, (383, 612340, 670041), (749, 1190399, 1555940), (1288, 2100138, 3064573), (2138, 3461419, 5453376))},
    # Found at any number of connections, 99 among them; the table has figures for messages alone.
    "faulty": {(n, m): (1, 9, 0, 3 * m, 3) for n in (1, 2, 3, 10, 99) for m in (1, 2, 3, 4, 5)},
}
# (server, connections): seconds, states, hits, misses, connections. The paper's heart-beat was taken out.
RUPY = {
    ("defect", 1): (322, 223129, 0, 74, 1), ("defect", 2): (3, 1303, 0, 148, 2),
    ("fixed", 1): (154, 108209, 0, 74, 1), ("fixed", 2): (HOUR, None, None, None, None),
}

# "Search-Carrying Code" (ASE 2010), Tables 1 to 4. KB are read as 1,024 bytes. parts: k: (speed-up, trustful speed-up);
# paths: k: (average, longest), where the table has them.


def _script(states, ratio, seconds, kilobytes, speed_up, trustful_kilobytes, trustful_speed_up, parts, paths=()):
    counts = (10, 50, 100)
    return {"states": states, "ratio": ratio, "seconds": seconds, "bytes": 1024 * kilobytes, "speed_up": speed_up,
            "trustful_bytes": 1024 * trustful_kilobytes, "trustful_speed_up": trustful_speed_up,
            "parts": dict(zip(counts, parts)), "paths": dict(zip(counts, paths))}


SCRIPTS = {
    "philosophers": _script(209014, 5.2, 220, 104, 1.03, 25, 6.3, ((8, 39), (22, 103), (38, 133)), ((11, 16), (13, 16), (12, 18))),
    "bounded-buffer": _script(786987, 7.1, 1088, 329, 1.04, 74, 8.4, ((9, 48), (25, 140), (30, 270)),
                              ((75, 615), (217, 6742), (139, 6678))),
    "ksu-pipeline": _script(59512, 4.1, 45, 91, 1.02, 22, 5, ((8, 30), (22, 64), (25, 104))),
    "nested-monitor": _script(71941, 6.9, 99, 45, 1.01, 9, 7.1, ((9, 56), (18, 136), (28, 175))),
    "pipeline": _script(82011, 6.1, 101, 51, 1.01, 11, 6.7, ((8, 39), (15, 96), (39, 155))),
    "rwvsn": _script(227116, 5.1, 245, 102, 1.03, 29, 6.3, ((9, 38), (22, 80), (27, 194)), ((50, 495), (57, 785), (101, 845))),
    "replicated-workers": _script(710022, 5.1, 860, 272, 1.05, 72, 6.1, ((8, 34), (18, 100), (40, 130))),
    "sleeping-barber": _script(1452194, 4.3, 1308, 492, 1.05, 187, 5.3, ((9, 31), (23, 85), (28, 164)),
                               ((12, 25), (17, 35), (25, 31))),
    "elevator": _script(386032, 8.4, 1167, 248, 1.04, 54, 9, ((10, 57), (23, 132), (45, 160)), ((50, 68), (71, 75), (71, 78))),
}
SCRIPT_PARTS_AVERAGE = {10: (9, 41), 50: (21, 104), 100: (33, 165)}
