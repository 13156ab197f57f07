-- Sales are found by their order key in `sale_order`, which begins with it since 0039_orders.sql.
-- locks: ledger.sale
drop index ledger.sale_order_key;
