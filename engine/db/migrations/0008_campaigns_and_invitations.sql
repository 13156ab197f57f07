-- Campaigns before and beside the chain, and invitations to them. Accounts are in lower case.

-- What a merchant plans. It chooses the id, so two merchants may use the same one.
create table commerce.campaign_draft (
  -- The order of lists; and what prepared hashes hang on, so that a new draft of an old id has none.
  key bigint generated always as identity primary key,
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  id text not null check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  version integer not null check (version >= 1),
  -- As CampaignDraftInput has it, without its version.
  draft jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (merchant, id)
);
create index campaign_draft_merchant on commerce.campaign_draft (merchant, key desc);

-- Every hash that a draft was prepared with: a transaction of any of them may still be signed. The
-- campaign of that merchant and metadataHash is what became of it. The text outlives its draft.
create table commerce.campaign_metadata (
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  metadata_hash text not null check (metadata_hash ~ '^0x[0-9a-f]{64}$'),
  draft_key bigint references commerce.campaign_draft on delete set null,
  -- The text that the hash is of (docs/reference/api.md, «Publishing a campaign»).
  content text not null,
  product_id text not null,
  product_version integer not null,
  prepared_at timestamptz not null default now(),
  primary key (merchant, metadata_hash)
);
create index campaign_metadata_draft on commerce.campaign_metadata (draft_key, prepared_at desc);

-- What a merchant keeps of a campaign, and whether lists show it. With the merchant, for a reorg may
-- hand the id to another one.
create table commerce.campaign_settings (
  campaign_id bigint not null,
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  name text check (length(name) <= 100),
  note text check (length(note) <= 2000),
  listed boolean not null default true,
  updated_at timestamptz not null default now(),
  primary key (campaign_id, merchant)
);
-- Lists look for these alone: nearly none.
create index campaign_settings_unlisted on commerce.campaign_settings (campaign_id, merchant)
  where not listed;

create table commerce.invitation (
  -- The order of lists.
  number bigint generated always as identity primary key,
  id text not null unique check (id ~ '^[A-Za-z0-9_-]{1,100}$'),
  merchant text not null check (merchant ~ '^0x[0-9a-f]{40}$'),
  merchant_id text not null references commerce.merchant,
  campaign_id bigint not null,
  distributor text not null check (distributor ~ '^0x[0-9a-f]{40}$'),
  message text not null check (length(message) <= 2000),
  terms text not null check (length(terms) <= 3000),
  -- Of the policy in effect when it was sent.
  policy_hash text not null check (policy_hash ~ '^0x[0-9a-f]{64}$'),
  status text not null default 'pending'
    check (status in ('pending', 'accepted', 'declined', 'withdrawn', 'expired')),
  -- What the distributor said when it answered.
  reason text check (length(reason) <= 500),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  responded_at timestamptz,
  withdrawn_at timestamptz,
  check (expires_at > created_at),
  check ((status in ('accepted', 'declined')) = (responded_at is not null)),
  check ((status = 'withdrawn') = (withdrawn_at is not null))
);
create unique index invitation_pending on commerce.invitation (campaign_id, distributor, merchant)
  where status = 'pending';
create index invitation_distributor on commerce.invitation (distributor, number desc);
create index invitation_merchant on commerce.invitation (merchant, number desc);
create index invitation_merchant_pending on commerce.invitation (merchant) where status = 'pending';
create index invitation_expiry on commerce.invitation (expires_at) where status = 'pending';
