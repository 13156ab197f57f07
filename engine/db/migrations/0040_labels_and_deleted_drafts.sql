-- What owners may name or delete: links, reports, drafts of products.

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

-- Invitations of a merchant to one campaign, newest first.
create index invitation_campaign on commerce.invitation (merchant, campaign_id, number desc);

-- No read finds a deleted report, and no worker finishes it. Its row stays until its files are gone.
alter table commerce.report drop constraint report_status_check, add constraint report_status_check
  check (status in ('queued', 'running', 'ready', 'failed', 'expired', 'deleted'));
create index report_deleted on commerce.report (changed_at) where status = 'deleted';

-- What was published stays what it was. The versions of a product that was never published can be deleted: nobody
-- else has seen them. If one version was published, no version of the product can be deleted, not even a draft.
create or replace function commerce.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (
      select 1 from commerce.product_version version
      where version.product_id = old.product_id and version.body ->> 'status' <> 'draft'
    ) then
      return old;
    end if;
  end if;
  raise exception 'a version of a product never changes' using errcode = 'restrict_violation';
end
$$;
create trigger product_version_kept before truncate on commerce.product_version
  execute function commerce.refuse_change();

-- A product whose merchant chose no timing gives access from the purchase on, which is now stored as well.
update commerce.product set access_timing = 'afterPurchase' where access_timing is null;
