"""A connection notices in seconds that the other end is gone, in whichever direction."""

from weitzman.ledger.postgres.connection import connect, place_name


def test_both_ends_give_a_silent_one_up_after_three_seconds(place: str) -> None:
    with connect(place) as connection:
        rows = connection.execute("SELECT name, setting, unit FROM pg_settings").fetchall()
        shown = {name: (setting, unit) for name, setting, unit in rows}
        assert shown["tcp_user_timeout"] == ("3000", "ms")
        assert shown["tcp_keepalives_idle"] == shown["tcp_keepalives_interval"] == ("1", "s")
        assert shown["tcp_keepalives_count"][0] == "2"
        assert shown["idle_in_transaction_session_timeout"] == ("3000", "ms")
        assert shown["lock_timeout"] == ("10000", "ms")
        assert shown["statement_timeout"] == ("60000", "ms")
        assert shown["application_name"][0] == "weitzman"
        assert shown["client_encoding"][0] == "UTF8"
        assert shown["synchronous_commit"][0] in {"on", "remote_apply"}
        own = connection.info.get_parameters()
        assert own["tcp_user_timeout"] == "3000"
        assert (own["keepalives_idle"], own["keepalives_interval"]) == ("1", "1")
        assert (own["keepalives_count"], own["connect_timeout"]) == ("2", "3")


def test_a_place_is_named_without_user_and_password() -> None:
    assert place_name("host=db.example dbname=search password=secret user=ann") == (
        "postgresql://db.example/search"
    )
    assert place_name("host=db.example port=5433") == "postgresql://db.example:5433/"
    assert place_name("hostaddr=10.0.0.1 dbname=a") == "postgresql://10.0.0.1/a"
