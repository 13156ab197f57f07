import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Time } from '../../../components/time.tsx';
import { inputOf, sending } from '../../../form-issues.ts';
import { word } from '../../../word.ts';
import styles from '../me.module.css';

type Invitation = DataOf<typeof api.invitations.mine>['items'][number];

const tones: Readonly<Record<Invitation['status'], Tone>> = {
  pending: 'warn',
  accepted: 'good',
  declined: 'plain',
  withdrawn: 'plain',
  expired: 'plain',
};

const names: Readonly<Record<Invitation['status'], string>> = {
  pending: 'waits for your answer',
  accepted: word('accepted'),
  declined: word('declined'),
  withdrawn: 'withdrawn by the merchant',
  expired: word('expired'),
};

/** A campaign that the account is about to join. */
export interface ToJoin {
  readonly campaignId: string;
  /** Title of its product. */
  readonly title: string;
}

interface InvitationItemProps {
  readonly invitation: Invitation;
  /** Called when the account wants to join the campaign. */
  readonly onJoin: (campaign: ToJoin) => void;
}

/** An invitation, with the answer to give, or the way to join after it was accepted. */
export function InvitationItem({ invitation, onJoin }: InvitationItemProps) {
  const { campaignId, status, message, terms, expiresAt, createdAt } = invitation;
  const campaign = useApi(['campaigns.get'], api.campaigns.get, { campaignId });
  const found = campaign.data?.data;
  const title = found?.product.title ?? `Campaign ${campaignId}`;
  const join = () => onJoin({ campaignId, title });
  return (
    <article className="stack" aria-label={`Invitation to ${title}`}>
      <div>
        <h3>
          <Link href={pathOf('campaign', { campaignId })}>{title}</Link>{' '}
          <Badge tone={tones[status]}>{names[status]}</Badge>
        </h3>
        <p className="soft">
          {found && `From ${found.merchant.name}, `}sent <Time at={createdAt} />
          {status === 'pending' && (
            <>
              , to be answered until <Time exact at={expiresAt} />
            </>
          )}
        </p>
      </div>
      {message !== '' && <blockquote className={styles.quote}>{message}</blockquote>}
      {terms !== '' && (
        <p>
          <strong>Terms:</strong> {terms}
        </p>
      )}
      {status === 'pending' && <Answer id={invitation.id} onAccepted={join} />}
      {status === 'accepted' && <Joining campaignId={campaignId} onJoin={join} />}
    </article>
  );
}

interface AnswerProps {
  readonly id: string;
  readonly onAccepted: () => void;
}

function Answer({ id, onAccepted }: AnswerProps) {
  const field = useId();
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { reason: '' } });
  const answer =
    (response: 'accept' | 'decline') =>
    async ({ reason }: { reason: string }) => {
      await api.invitations.respond({ id, response, reason: reason.trim() || undefined });
      if (response === 'accept') onAccepted();
      await queries.invalidateQueries({ queryKey: [MINE] });
    };
  return (
    <Form
      form={form}
      onSubmit={answer('accept')}
      name="Accept"
      aside={
        <Button
          disabled={form.formState.isSubmitting}
          onClick={() => void sending(form, answer('decline'))()}
        >
          Decline
        </Button>
      }
    >
      <Field
        label="A word to the merchant (optional)"
        maxLength={500}
        {...inputOf(form, 'reason')}
        id={field}
      />
    </Form>
  );
}

interface JoiningProps {
  readonly campaignId: string;
  readonly onJoin: () => void;
}

/** Whether the account has a link in the campaign, and the button to get one. */
function Joining({ campaignId, onJoin }: JoiningProps) {
  const links = useApi([MINE, 'links.mine'], api.links.mine, { campaignId, limit: 1 });
  const [link] = links.data?.data.items ?? [];
  if (links.data === undefined) return null;
  if (link) return <Link href={pathOf('myLink', link)}>Your link in this campaign</Link>;
  return (
    <div>
      <Button main onClick={onJoin}>
        Join this campaign
      </Button>
    </div>
  );
}
