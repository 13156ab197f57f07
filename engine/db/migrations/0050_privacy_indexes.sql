-- Indexes by which an account's rows are found for an export or a deletion, and old rows for their deletion. The
-- largest table is commerce.checkout_intent, with a row for each checkout; all others have a row for each
-- account, key or entry.
-- online

-- Rows of one account.
create index concurrently if not exists team_member_account on commerce.team_member (account);
create index concurrently if not exists audit_entry_actor on commerce.audit_entry ("left"(actor, 42));
create index concurrently if not exists moderation_log_operator on commerce.moderation_log (operator);
create index concurrently if not exists alarm_decision_operator on commerce.alarm_decision (decided_by);
create index concurrently if not exists campaign_settings_merchant on commerce.campaign_settings (merchant);

-- Rows that are old enough to be deleted.
create index concurrently if not exists sign_in_nonce_expires on commerce.sign_in_nonce (expires_at);
create index concurrently if not exists checkout_intent_unpaid on commerce.checkout_intent (expires_at)
  where state not in ('submitted', 'confirmed');
create index concurrently if not exists checkout_intent_age on commerce.checkout_intent (created_at);
create index concurrently if not exists invitation_closed on commerce.invitation (created_at) where status <> 'pending';
create index concurrently if not exists released_name_age on commerce.released_name (released_at);
create index concurrently if not exists api_key_ended on commerce.api_key ((least(revoked_at, expires_at)));
create index concurrently if not exists team_member_removed on commerce.team_member (removed_at) where status = 'removed';
create index concurrently if not exists audit_entry_age on commerce.audit_entry (at_ms);
