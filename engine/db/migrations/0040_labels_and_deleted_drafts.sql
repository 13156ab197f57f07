-- What owners may delete or name: drafts of products, links.

-- Labels of links, for their owners alone. With owner and campaign, because a reorg can give the id of a node to
-- another account or campaign.
create table commerce.link_label (
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  campaign_id bigint not null,
  node_id bigint not null,
  label text not null check (length(label) between 1 and 100),
  updated_at timestamptz not null,
  primary key (owner, campaign_id, node_id)
);

-- What was published stays what it was. Versions of drafts may be deleted: nothing was sold in them.
create or replace function commerce.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.body ->> 'status' = 'draft' then
    return old;
  end if;
  raise exception 'a version of a product never changes' using errcode = 'restrict_violation';
end
$$;
