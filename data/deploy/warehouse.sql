-- Tables for the shops that forno-warehouse writes here. Running it again changes nothing.
create schema if not exists forno;

-- Every resource of every shop as it is now, with `seq`, and for orders `placedBy` and `names`, as
-- in data/README.md. The kind "shop" has one row.
create table if not exists forno.resource (
  shop text,
  kind text,
  id text,
  body jsonb not null,
  primary key (shop, kind, id)
);
create index if not exists resource_placed_at
  on forno.resource (shop, (body ->> 'placedAt')) where kind = 'orders';

-- The last record of each shop that is in the table.
create table if not exists forno.position (shop text primary key, seq bigint not null);

-- One record of a shop's journal, and its number, in one transaction.
create or replace function forno.apply(of_shop text, number bigint, event text, data jsonb)
returns void language plpgsql as $$
begin
  if event = 'shop.updated' then data := data || '{"id":"shop"}'; end if;
  if event like '%.deleted' then
    delete from forno.resource
      where shop = of_shop and kind = split_part(event, '.', 1) and id = data ->> 'id';
  elsif event not like 'store.%' then
    insert into forno.resource values (of_shop, split_part(event, '.', 1), data ->> 'id', data)
      on conflict (shop, kind, id) do update set body = excluded.body;
  end if;
  update forno.position set seq = number where shop = of_shop and seq < number;
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
