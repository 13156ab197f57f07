-- What notifications are read by (docs/reference/api.md, "Notifications"): each kind of an account, newest first.

-- When the merchant answered; a message of either side does not change it.
alter table commerce.dispute add column answered_at timestamptz;
update commerce.dispute set answered_at = updated_at where answer in ('accepted', 'declined');

create index dispute_opened on commerce.dispute (merchant, opened_at desc, id desc);
create index dispute_answered on commerce.dispute (buyer, answered_at desc, id desc)
  where answered_at is not null;
create index invitation_received on commerce.invitation (distributor, created_at desc, id desc);
create index invitation_answered on commerce.invitation (merchant, responded_at desc, id desc)
  where responded_at is not null;

-- Events that stop, resume or end a campaign: few, so that settlement hardly ever writes to it.
create index journal_stopping on ledger.journal (campaign_id, seq)
  where name in ('CampaignPaused', 'CampaignResumed', 'CampaignEnded');
