-- Every resource of every shop as it is now, as the API answers it. The kind "shop" has one row.
create schema if not exists forno;
create table if not exists forno.resource (
  shop text, kind text, id text, data jsonb not null, primary key (shop, kind, id)
);

-- The orders of all shops, one row each.
create or replace view forno.orders as
  select shop, id, data ->> 'status' as status, data ->> 'note' as note,
    (data ->> 'placedAt')::timestamptz as placed_at,
    data #>> '{pizzaSize,name}' as pizza_size,
    jsonb_path_query_array(data, '$.toppings[*].name') as toppings,
    jsonb_path_query_array(data, '$.beverages[*].name') as beverages,
    -- A view that is replaced keeps its columns: new ones stand behind them.
    data ->> 'pizza' as pizza, data ->> 'name' as name,
    data ->> 'table' as "table", data ->> 'group' as "group",
    (data ->> 'wantedAt')::timestamptz as wanted_at
  from forno.resource where kind = 'orders';
