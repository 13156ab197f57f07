import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useSearchParams } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldRow, Form } from '../../../components/form.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import type { FilterOptions } from '../../../filters/use-filters.ts';
import { inputOf } from '../../../form-issues.ts';
import { useActing } from '../acting.tsx';
import { ForRole } from '../for-role.tsx';
import { MerchantTransactions } from '../merchant-transactions.tsx';
import { useCampaignOptions, useOwnCampaigns } from '../own-campaigns.tsx';

type Sent = DataOf<Client['invitations']['send']>;

/** Days in which an invitation can be answered, unless the merchant chooses others. */
const DAYS = 30;

/** Sends an invitation; for an invite-only campaign, the transaction that lets the account join follows. */
export function InviteForm() {
  const campaigns = useOwnCampaigns();
  const options = useCampaignOptions();
  return (
    <Card title="Invite a partner">
      {campaigns.isSuccess && options.length === 0 ? (
        <p>There is no campaign to invite anybody to yet. Create one first.</p>
      ) : (
        <ForRole needs="admin">
          <Answered query={campaigns} what="Your campaigns">
            {() => <Invite campaigns={options} />}
          </Answered>
        </ForRole>
      )}
    </Card>
  );
}

function Invite({ campaigns }: { readonly campaigns: FilterOptions }) {
  const { api, key } = useActing();
  const [params] = useSearchParams();
  const queries = useQueryClient();
  const [sent, setSent] = useState<Sent>();
  const defaultValues = {
    distributor: params.get('to') ?? '',
    campaignId: named(campaigns, params.get('campaign')) ?? campaigns[0]?.[0] ?? '',
    expiresAt: inDays(DAYS),
    message: '',
    terms: '',
  };
  const form = useForm({ defaultValues });
  async function send(values: typeof defaultValues) {
    const until = new Date(`${values.expiresAt}T23:59:59Z`);
    const { data } = await api.invitations.send({
      distributor: values.distributor.trim() as `0x${string}`,
      campaignId: values.campaignId,
      message: values.message.trim(),
      terms: values.terms.trim(),
      expiresAt: Number.isNaN(until.getTime()) ? '' : until.toISOString(),
    });
    setSent(data);
    await queries.invalidateQueries({ queryKey: [...key, 'invitations.sent'] });
  }
  return (
    <div className="stack">
      <Form form={form} onSubmit={send} name="Send the invitation" saved="The invitation is sent.">
        <FieldRow>
          <Field
            label="Address of the distributor"
            placeholder="0x…"
            {...inputOf(form, 'distributor')}
          />
          <SelectField label="Campaign" options={campaigns} {...inputOf(form, 'campaignId')} />
          <Field type="date" label="Answer until (UTC)" {...inputOf(form, 'expiresAt')} />
        </FieldRow>
        <TextField label="Message" maxLength={2_000} {...inputOf(form, 'message')} />
        <TextField
          label="Terms"
          hint="What the distributor agrees to, such as how your product may be shown."
          maxLength={3_000}
          {...inputOf(form, 'terms')}
        />
      </Form>
      {sent?.transaction && (
        <>
          <p>This campaign lets only allowed accounts join. Allow the account, too:</p>
          <MerchantTransactions transactions={[sent.transaction]} name="Allow it to join" />
        </>
      )}
    </div>
  );
}

/** The campaign that the page's address names, if the merchant has it. */
function named(campaigns: FilterOptions, campaignId: string | null): string | undefined {
  return campaigns.find(([id]) => id === campaignId)?.[0];
}

/** The day in so many days, in UTC: `2026-01-31`. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
