-- The tables and functions of postgresState, as `await state.migrate()` makes them.
-- To use another schema than opendelivery, replace that word everywhere.

create schema if not exists opendelivery;

-- A row counts until ends_at. It was written for the duration in kept: if the clock of
-- the server is set back, it counts for that long from then on, and not longer.

-- Tokens, and the document of the merchant.
create table if not exists opendelivery.state_values (
  key text collate "C" primary key,
  value text collate "C" not null,
  ends_at timestamptz not null,
  kept interval not null
);
create index if not exists state_values_ends_at on opendelivery.state_values (ends_at);

-- The requests that count for a limit of the hub.
create table if not exists opendelivery.state_slots (
  key text collate "C",
  id text collate "C",
  ends_at timestamptz not null,
  kept interval not null,
  primary key (key, id)
);
create index if not exists state_slots_ends_at on opendelivery.state_slots (ends_at);

-- The limits at which the hub has answered 429.
create table if not exists opendelivery.state_shuts (
  key text collate "C" primary key,
  ends_at timestamptz not null,
  kept interval not null
);
create index if not exists state_shuts_ends_at on opendelivery.state_shuts (ends_at);

-- Who polls a store: one row for each store, also after the lease has ended, because
-- the next fence must be greater than this one. holder is null after a release.
create table if not exists opendelivery.state_leases (
  key text collate "C" primary key,
  holder text collate "C",
  fence bigint not null,
  ends_at timestamptz not null,
  kept interval not null
);

-- Which events were handled, and how often the others were attempted.
create table if not exists opendelivery.state_marks (
  key text collate "C",
  id text collate "C",
  handled boolean not null,
  attempts integer not null,
  ends_at timestamptz not null,
  kept interval not null,
  primary key (key, id)
);
create index if not exists state_marks_ends_at on opendelivery.state_marks (ends_at);

create or replace function opendelivery.state_time() returns timestamptz
language sql volatile as $$ select clock_timestamp() $$;

create or replace function opendelivery.state_duration(p_ms bigint) returns interval
language sql immutable as $$ select p_ms * interval '1 millisecond' $$;

create or replace function opendelivery.state_ms(p_duration interval) returns bigint
language sql immutable as $$ select ceil(extract(epoch from p_duration) * 1000)::bigint $$;

-- The beginning of every call: calls for one key wait for each other until they commit.
-- Returns the time, which is read after that wait.
create or replace function opendelivery.state_begin(p_key text) returns timestamptz
language plpgsql as $$
declare
  now_at timestamptz;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the isolation level is %, it must be read committed', current_setting('transaction_isolation')
      using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(p_key, 0));
  now_at := opendelivery.state_time();
  update opendelivery.state_values set ends_at = now_at + kept where key = p_key and ends_at > now_at + kept;
  update opendelivery.state_slots set ends_at = now_at + kept where key = p_key and ends_at > now_at + kept;
  update opendelivery.state_shuts set ends_at = now_at + kept where key = p_key and ends_at > now_at + kept;
  update opendelivery.state_leases set ends_at = now_at + kept where key = p_key and ends_at > now_at + kept;
  return now_at;
end $$;

-- Deletes some rows that have ended, of any key. It is the last step of a call, and
-- skips locked rows, so that calls for two keys never wait for each other.
create or replace function opendelivery.state_sweep(p_table text, p_now timestamptz) returns void
language plpgsql as $$
begin
  execute format(
    'delete from opendelivery.%1$I where ctid = any (array('
    'select ctid from opendelivery.%1$I where ends_at <= $1 order by ends_at limit 1000 for update skip locked))',
    p_table
  ) using p_now;
end $$;

create or replace function opendelivery.state_get(p_key text) returns text
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
begin
  return (select value from opendelivery.state_values where key = p_key and ends_at > now_at);
end $$;

-- p_value null: removes. p_expected null: always.
create or replace function opendelivery.state_set(p_key text, p_value text, p_ms bigint, p_expected text)
returns void
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  kept interval := opendelivery.state_duration(p_ms);
  present text := (select value from opendelivery.state_values where key = p_key and ends_at > now_at);
begin
  if p_expected is not null and present is distinct from p_expected then
    return;
  end if;
  if p_value is null or p_ms <= 0 then
    delete from opendelivery.state_values where key = p_key;
  else
    insert into opendelivery.state_values values (p_key, p_value, now_at + kept, kept)
    on conflict (key) do update
      set value = excluded.value, ends_at = excluded.ends_at, kept = excluded.kept;
  end if;
  perform opendelivery.state_sweep('state_values', now_at);
end $$;

-- fence null: another holder has the lease, for wait_ms. p_ms 0: releases.
create or replace function opendelivery.state_lease(
  p_key text, p_holder text, p_ms bigint, out fence bigint, out wait_ms bigint
)
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  kept interval := opendelivery.state_duration(p_ms);
  last opendelivery.state_leases;
begin
  select * into last from opendelivery.state_leases where key = p_key;
  if p_ms <= 0 then
    update opendelivery.state_leases set holder = null, ends_at = now_at where key = p_key and holder = p_holder;
    fence := coalesce(last.fence, 0);
  elsif last.holder <> p_holder and last.ends_at > now_at then
    wait_ms := opendelivery.state_ms(last.ends_at - now_at);
  else
    -- The time makes it grow if the table was lost, the last fence if the clock was set back.
    fence := case
      when last.holder = p_holder then last.fence
      else greatest(last.fence + 1, floor(extract(epoch from now_at) * 1000)::bigint)
    end;
    insert into opendelivery.state_leases values (p_key, p_holder, fence, now_at + kept, kept)
    on conflict (key) do update
      set holder = excluded.holder, fence = excluded.fence, ends_at = excluded.ends_at, kept = excluded.kept;
  end if;
end $$;

-- refused null: granted, with remaining. p_holder null: without a lease.
create or replace function opendelivery.state_reserve(
  p_key text, p_id text, p_limit double precision, p_ms bigint, p_holder text, p_lease_ms bigint,
  out refused text, out remaining double precision, out wait_ms bigint, out fence bigint
)
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  kept interval := opendelivery.state_duration(p_ms);
  taken integer;
  next_at timestamptz;
begin
  if p_holder is not null then
    select lease.fence, lease.wait_ms into fence, wait_ms
    from opendelivery.state_lease(p_key, p_holder, p_lease_ms) as lease;
    if fence is null then
      refused := 'leased';
      return;
    end if;
  end if;
  select ends_at into next_at from opendelivery.state_shuts where key = p_key and ends_at > now_at;
  if found then
    refused := 'shut';
  else
    select count(*), min(ends_at) into taken, next_at
    from opendelivery.state_slots where key = p_key and ends_at > now_at;
    if taken >= p_limit then
      refused := 'quota';
    end if;
  end if;
  if refused is not null then
    wait_ms := opendelivery.state_ms(next_at - now_at);
    return;
  end if;
  insert into opendelivery.state_slots values (p_key, p_id, now_at + kept, kept);
  remaining := p_limit - taken - 1;
  perform opendelivery.state_sweep('state_slots', now_at);
end $$;

-- p_id null: no slot changes.
create or replace function opendelivery.state_settle(p_key text, p_id text, p_free_ms bigint, p_shut_ms bigint)
returns void
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  taken interval := opendelivery.state_duration(p_free_ms);
  shut interval := opendelivery.state_duration(p_shut_ms);
begin
  if p_free_ms <= 0 then
    delete from opendelivery.state_slots where key = p_key and id = p_id;
  elsif p_id is not null then
    insert into opendelivery.state_slots values (p_key, p_id, now_at + taken, taken)
    on conflict (key, id) do update set ends_at = excluded.ends_at, kept = excluded.kept;
  end if;
  if p_shut_ms > 0 then
    insert into opendelivery.state_shuts as present values (p_key, now_at + shut, shut)
    on conflict (key) do update set ends_at = excluded.ends_at, kept = excluded.kept
      where present.ends_at < excluded.ends_at;
    perform opendelivery.state_sweep('state_shuts', now_at);
  end if;
end $$;

-- Returns for each id how often it was attempted before this call, and -1 if it was handled.
-- In the same statement, it counts the chosen ids, and renews marks of which less than
-- three quarters are left, so that not each redelivery is a write.
create or replace function opendelivery.state_recall(
  p_key text, p_ids text[], p_chosen boolean[], p_below double precision, p_handled_ms bigint, p_attempted_ms bigint
)
returns integer[]
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  handled_kept interval := opendelivery.state_duration(p_handled_ms);
  attempted_kept interval := opendelivery.state_duration(p_attempted_ms);
  marks integer[];
begin
  with present as (
    select asked.id, asked.place, coalesce(mark.handled, false) as handled, coalesce(mark.attempts, 0) as attempts,
      mark.ends_at, mark.kept, case when mark.handled then handled_kept else attempted_kept end as full_kept,
      asked.chosen and mark.handled is not true and coalesce(mark.attempts, 0) < p_below as counted
    from unnest(p_ids, p_chosen) with ordinality as asked (id, chosen, place)
    -- limit 1 keeps the planner from reading all marks of the key.
    left join lateral (
      select * from opendelivery.state_marks where key = p_key and id = asked.id and ends_at > now_at limit 1
    ) as mark on true
  ), next as (
    select id, handled, attempts + counted::integer as attempts, ends_at,
      case when counted or least(ends_at - now_at, kept) < 0.75 * full_kept then full_kept else kept end as kept,
      counted or least(ends_at - now_at, kept) < 0.75 * full_kept or ends_at > now_at + kept as changed
    from present
  ), written as (
    insert into opendelivery.state_marks
    select distinct on (id) p_key, id, handled, attempts, now_at + kept, kept from next where changed
    on conflict (key, id) do update
      set handled = excluded.handled, attempts = excluded.attempts, ends_at = excluded.ends_at, kept = excluded.kept
  )
  select array_agg(case when handled then -1 else attempts end order by place) into marks from present;
  if true = any (p_chosen) then
    perform opendelivery.state_sweep('state_marks', now_at);
  end if;
  return marks;
end $$;

create or replace function opendelivery.state_mark_handled(p_key text, p_ids text[], p_ms bigint) returns void
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  kept interval := opendelivery.state_duration(p_ms);
begin
  insert into opendelivery.state_marks
  select distinct p_key, marked.id, true, 0, now_at + kept, kept from unnest(p_ids) as marked (id)
  on conflict (key, id) do update
    set handled = true, attempts = 0, ends_at = excluded.ends_at, kept = excluded.kept;
  perform opendelivery.state_sweep('state_marks', now_at);
end $$;

create or replace function opendelivery.state_mark_attempted(p_key text, p_ids text[], p_by integer, p_ms bigint)
returns void
language plpgsql as $$
declare
  now_at timestamptz := opendelivery.state_begin(p_key);
  kept interval := opendelivery.state_duration(p_ms);
begin
  insert into opendelivery.state_marks as mark
  select p_key, marked.id, false, p_by * count(*), now_at + kept, kept
  from unnest(p_ids) as marked (id) group by marked.id
  on conflict (key, id) do update
    set handled = false, ends_at = excluded.ends_at, kept = excluded.kept,
      attempts = excluded.attempts + case when mark.ends_at > now_at then mark.attempts else 0 end
    where mark.ends_at <= now_at or not mark.handled;
  if p_by < 0 then
    delete from opendelivery.state_marks
    where key = p_key and id in (select unnest(p_ids)) and not handled and attempts <= 0;
  end if;
  perform opendelivery.state_sweep('state_marks', now_at);
end $$;

-- The version of all this.
create or replace function opendelivery.state_version() returns integer
language sql immutable as $$ select 1 $$;
