-- Tables for the shops that forno-warehouse writes here. Running it again changes nothing.
create schema if not exists forno;

-- Every resource of every shop as it is now, with `seq`, its place in lists, and what the store
-- keeps beside it (data/README.md). The kind "shop" has one row.
create table if not exists forno.resource (
  shop text,
  kind text,
  id text,
  body jsonb not null,
  primary key (shop, kind, id)
);
create index if not exists resource_placed_at
  on forno.resource (shop, (body ->> 'placedAt')) where kind = 'orders';

-- The last change of each shop that is in the table.
create table if not exists forno.position (shop text primary key, seq bigint not null);

-- One change of a shop, and its number, in one transaction. An update keeps a row's place.
create or replace function forno.apply(of_shop text, number bigint, event text, data jsonb)
returns void language plpgsql as $$
declare
  of_kind text := split_part(event, '.', 1);
begin
  if event like '%.deleted' then
    delete from forno.resource
      where shop = of_shop and kind = of_kind and id = data ->> 'id';
  else
    insert into forno.resource as old
      values (of_shop, of_kind, data ->> 'id', data || jsonb_build_object('seq', number))
      on conflict (shop, kind, id)
      do update set body = excluded.body || jsonb_build_object('seq', old.body -> 'seq');
  end if;
  update forno.position set seq = number where shop = of_shop;
end $$;

-- The orders of all shops, one row each.
create or replace view forno.orders as
  select shop, id, body ->> 'status' as status,
    (body ->> 'placedAt')::timestamptz as placed_at,
    (body ->> 'updatedAt')::timestamptz as updated_at,
    body -> 'names' ->> 'pizzaSize' as pizza_size,
    body -> 'names' -> 'toppings' as toppings,
    body -> 'names' -> 'beverages' as beverages,
    body ->> 'placedBy' as placed_by
  from forno.resource where kind = 'orders';
