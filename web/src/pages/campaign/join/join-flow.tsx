import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { ApiError } from '../../../../../engine/client/index.ts';
import { decodeReferralCode } from '../../../../../engine/core/referral-code.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import styles from './join.module.css';
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

/** Joining a campaign: who invited the account, what it would earn, the transaction, and then the link to share. */
export function JoinFlow({ campaignId, address }: JoinFlowProps) {
  const form = useForm<Fields>({ defaultValues: { under: 'none', code: '' } });
  const preview = useMutation({
    mutationFn: async ({ under, code }: Fields) => {
      const parentNodeId = under === 'code' ? decodeReferralCode(code.trim()) : undefined;
      const parent = parentNodeId === undefined ? {} : { parentNodeId };
      return (await api.links.joinPreview({ campaignId, ...parent })).data;
    },
  });
  if (preview.data) {
    return <JoinOffer offer={preview.data} address={address} onBack={() => preview.reset()} />;
  }
  const byCode = form.watch('under') === 'code';
  const issue = codeIssue(preview.error) ?? form.formState.errors.code?.message;
  return (
    <form
      className="stack"
      onSubmit={(event) => void form.handleSubmit((fields) => preview.mutate(fields))(event)}
    >
      <fieldset className={styles.choices}>
        <legend>Did somebody invite you?</legend>
        <label>
          <input type="radio" value="none" {...form.register('under')} /> No. My link is the first
          of its own branch.
        </label>
        <label>
          <input type="radio" value="code" {...form.register('under')} /> Yes. My link goes under
          theirs, and they may earn a part of my sales, too.
        </label>
      </fieldset>
      {byCode && (
        <Field
          id="join-code"
          label="Their code"
          hint="The last part of their link: /r/CODE."
          autoComplete="off"
          problem={issue}
          {...form.register('code', {
            validate: (code, { under }) =>
              under !== 'code' ||
              decodeReferralCode(code.trim()) !== undefined ||
              'This is no code, or it is mistyped.',
          })}
        />
      )}
      {preview.error && codeIssue(preview.error) === undefined && (
        <p className="issue" role="alert">
          {preview.error.message}
        </p>
      )}
      <div>
        <Button main type="submit" disabled={preview.isPending}>
          {preview.isPending ? 'Loading…' : 'See what you would earn'}
        </Button>
      </div>
    </form>
  );
}

/** A code that is right but names a link of another campaign. */
function codeIssue(error: Error | null): string | undefined {
  return error instanceof ApiError && error.status === 404
    ? 'No link of this campaign has this code.'
    : undefined;
}
