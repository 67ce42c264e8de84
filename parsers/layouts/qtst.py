"""QTST - topic manager statistics: subscriptions and publishes.

Where:  SMF 115 subtype 2, triplet 7
Manual: IBM MQ for z/OS, "Topic manager data records"
Size:   96 bytes in the manual, 100 in the data (8.0.0 and 10.0.0); the meaning of the last 4 is not known
"""

from __future__ import annotations

from mqstat.parsers.kit import U16, U32, Ebcdic, Field, Layout, StckInterval, Unused

QTST = Layout(
    "qtst",
    "Topic manager statistics",
    size=100,
    sizes=(96, 100),
    eyecatcher="QTST",
    identifier=0xA302,
    routes=((115, 2, 7),),
    fields=(
        Field("struct_id", "qtstid", 0, U16, "Control block identifier.", kind="internal", unit="number", since="7.0"),
        Field("struct_length", "qtstll", 2, U16, "Length of this section, including the identifier.", kind="internal", unit="bytes", since="7.0"),
        Field("eyecatcher", "qtstdesc", 4, Ebcdic(4), "Eye catcher, always QTST.", kind="internal", unit="text", since="7.0", sharing="public"),
        Field("subscription_requests_total", "qtstzero.qtststot", 8, U32, "Total subscription requests.", since="7.0"),
        Field("durable_subscription_requests", "qtstzero.qtstsdur", 12, U32, "Durable subscription requests.", since="7.0"),
        Field("subscriptions_high", "qtstzero.qtstshig", 16, U32, "Subscription high-water marks: API, administrative, proxy.", kind="high", dims=((3, 4),), columns=("api_subscriptions_high", "admin_subscriptions_high", "proxy_subscriptions_high"), since="7.0"),
        Field("subscriptions_low", "qtstzero.qtstslow", 28, U32, "Subscription low-water marks: API, administrative, proxy.", kind="low", dims=((3, 4),), columns=("api_subscriptions_low", "admin_subscriptions_low", "proxy_subscriptions_low"), since="7.0"),
        Field("subscriptions_expired", "qtstzero.qtstsexp", 40, U32, "Subscriptions expired.", since="7.0"),
        Field("messages_to_subscribers", "qtstzero.qtsttmsg", 44, U32, "Messages put to subscriber queues.", since="7.0"),
        Field("most_subscribers_per_publish", "qtstzero.qtstsphw", 48, U32, "Highest number of subscribers reached by one publish.", kind="high", since="7.0"),
        Field("publishes", "qtstzero.qtstptot", 52, U32, "Publish requests: API, administrative, proxy.", dims=((3, 4),), columns=("api_publishes", "admin_publishes", "proxy_publishes"), since="7.0"),
        Field("publishes_high", "qtstzero.qtstphig", 64, U32, "Publish high-water mark (QTSTPTHI in the manual).", kind="high", since="7.0"),
        Field("publishes_low", "qtstzero.qtstplow", 68, U32, "Publish low-water mark (QTSTPTLO in the manual).", kind="low", since="7.0"),
        Field("publishes_without_subscriber", "qtstzero.qtstpnos", 72, U32, "Publishes with no subscriber.", since="7.0"),
        Unused(4, at=76),
        Field("publish_longest_us", "qtstzero.qtstethw", 80, StckInterval, "Longest elapsed time of one publish.", kind="high", unit="us", since="7.0"),
        Field("publish_total_us", "qtstzero.qtstetto", 88, StckInterval, "Total elapsed time of publishes.", unit="us", since="7.0"),
        Unused(4, at=96),  # in the data, not in the manual
    ),
)  # fmt: skip
