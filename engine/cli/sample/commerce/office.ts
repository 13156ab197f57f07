import { campaignIdOf, merchant, type Scene } from './scene.ts';

/** A merchant orders reports; they are made in the background. */
export async function orderReports({ accounts }: Scene): Promise<void> {
  const client = await accounts.as(merchant('harbor-roasters'));
  const { data } = await client.reports.list({ limit: 1 });
  if (data.items.length > 0) return;
  await client.reports.export({ kind: 'sales', format: 'csv' });
  await client.reports.export({ kind: 'movements', format: 'json' });
}

/** An operator hides a campaign, and thinks better of it: both are in the log. */
export async function moderate({ accounts, cast }: Scene): Promise<void> {
  const client = await accounts.as(cast.operator);
  const { data: session } = await client.auth.session();
  if (!session.scopes.includes('operator')) return;
  const { data: log } = await client.moderation.log({ limit: 1 });
  if (log.items[0]?.action === 'unhide') return;
  const campaignId = campaignIdOf('driftwood-lamp');
  await client.moderation.hide({ campaignId, reason: 'Nobody knows who sells this lamp.' });
  await client.moderation.unhide({ campaignId, reason: 'The lamps arrive: three buyers told us.' });
}
