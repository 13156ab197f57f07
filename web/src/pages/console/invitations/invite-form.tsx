import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { issueAt } from '../../../issues.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { ForRole } from '../for-role.tsx';
import { Issue } from '../issue.tsx';
import { MerchantTransactions } from '../merchant-transactions.tsx';
import { CampaignSelect, useOwnCampaigns } from '../own-campaigns.tsx';

type Invitation = Parameters<Client['invitations']['send']>[0];

const fields = ['distributor', 'campaignId', 'message', 'terms', 'expiresAt'];

/** Days in which an invitation can be answered, unless the merchant chooses others. */
const DAYS = 30;

/** Sends an invitation; for an invite-only campaign, the transaction that lets the account join follows. */
export function InviteForm() {
  const { api, key } = useActing();
  const [params] = useSearchParams();
  const queries = useQueryClient();
  const campaigns = useOwnCampaigns();
  const [chosen, choose] = useState('');
  const first = campaigns.data?.data.items.find(({ campaign }) => campaign !== null)?.campaign;
  const campaignId = chosen === '' ? (first?.campaignId ?? '') : chosen;
  const send = useMutation({
    mutationFn: async (input: Invitation) => (await api.invitations.send(input)).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: [...key, 'invitations.sent'] }),
  });
  const { error } = send;
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const until = new Date(`${text('expiresAt')}T23:59:59Z`);
    send.mutate({
      distributor: text('distributor') as `0x${string}`,
      campaignId,
      message: text('message'),
      terms: text('terms'),
      expiresAt: Number.isNaN(until.getTime()) ? '' : until.toISOString(),
    });
  }
  if (campaigns.isSuccess && first === undefined) {
    return (
      <Card title="Invite a partner">
        <p>There is no campaign to invite anybody to yet. Create one first.</p>
      </Card>
    );
  }
  return (
    <Card title="Invite a partner">
      <ForRole needs="admin">
        <form className="stack" onSubmit={submit} noValidate>
          <div className={styles.fields}>
            <Field
              id="distributor"
              name="distributor"
              label="Address of the distributor"
              placeholder="0x…"
              defaultValue={params.get('to') ?? ''}
              problem={issueAt(error, 'distributor')}
            />
            <CampaignSelect id="campaign" value={campaignId} onChange={choose} />
            <Field
              id="expiresAt"
              name="expiresAt"
              type="date"
              label="Answer until (UTC)"
              defaultValue={inDays(DAYS)}
              problem={issueAt(error, 'expiresAt')}
            />
          </div>
          <TextField
            id="message"
            name="message"
            label="Message"
            maxLength={2_000}
            problem={issueAt(error, 'message')}
          />
          <TextField
            id="terms"
            name="terms"
            label="Terms"
            hint="What the distributor agrees to, such as how your product may be shown."
            maxLength={3_000}
            problem={issueAt(error, 'terms')}
          />
          <div className={styles.row}>
            <Button type="submit" main disabled={send.isPending}>
              Send the invitation
            </Button>
          </div>
          <Issue error={error} shownAt={fields} />
        </form>
        {send.isSuccess && <p role="status">The invitation is sent.</p>}
        {send.data?.transaction && (
          <div className="stack">
            <p>This campaign lets only allowed accounts join. Allow the account, too:</p>
            <MerchantTransactions transactions={[send.data.transaction]} name="Allow it to join" />
          </div>
        )}
      </ForRole>
    </Card>
  );
}

/** The day in so many days, in UTC: `2026-01-31`. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
