import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { ApiError } from '../../../../../engine/client/error.ts';
import { decodeReferralCode } from '../../../../../engine/core/referral-code.ts';
import { api, type DataOf } from '../../../api.ts';
import { Field } from '../../../components/field.tsx';
import { Choices, Form } from '../../../components/form.tsx';
import { FieldIssue, inputOf } from '../../../form-issues.ts';
import { JoinOffer } from './join-offer.tsx';

interface JoinFlowProps {
  readonly campaignId: string;
  /** The account that joins. */
  readonly address: string;
}

interface Fields {
  readonly under: 'none' | 'code';
  readonly code: string;
}

const answers = [
  ['none', 'No. My link is the first of its own branch.'],
  ['code', 'Yes. My link goes under theirs, and they may earn a part of my sales, too.'],
] as const;

/** Joining a campaign: who invited the account, what it would earn, the transaction, and then the link to share. */
export function JoinFlow({ campaignId, address }: JoinFlowProps) {
  const form = useForm<Fields>({ defaultValues: { under: 'none', code: '' } });
  const [offer, setOffer] = useState<DataOf<typeof api.links.joinPreview>>();
  const byCode = form.watch('under') === 'code';
  async function preview({ code }: Fields) {
    const parentNodeId = byCode ? decodeReferralCode(code.trim()) : undefined;
    try {
      setOffer((await api.links.joinPreview({ campaignId, parentNodeId })).data);
    } catch (error) {
      // The code is right, but names a link of another campaign.
      if (error instanceof ApiError && error.status === 404) {
        throw new FieldIssue('code', 'No link of this campaign has this code.');
      }
      throw error;
    }
  }
  if (offer) {
    return <JoinOffer offer={offer} address={address} onBack={() => setOffer(undefined)} />;
  }
  return (
    <Form form={form} onSubmit={preview} name="See what you would earn" busy="Loading…">
      <Choices title="Did somebody invite you?" options={answers} {...form.register('under')} />
      {byCode && (
        <Field
          label="Their code"
          hint="The last part of their link: /r/CODE."
          autoComplete="off"
          {...inputOf(form, 'code', (code) =>
            decodeReferralCode(code.trim()) === undefined
              ? 'This is no code, or it is mistyped.'
              : undefined,
          )}
        />
      )}
    </Form>
  );
}
