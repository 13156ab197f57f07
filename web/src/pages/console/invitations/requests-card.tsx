import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { Issue } from '../../../components/issue.tsx';
import { Paged } from '../../../components/list.tsx';
import { Panel } from '../../../components/panel.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { Time } from '../../../components/time.tsx';
import { inputOf } from '../../../form-issues.ts';
import { shortHex } from '../../../format.ts';
import { useCampaign } from '../../../offer/use-offer.ts';
import { useActing, useMay } from '../acting.tsx';
import { MerchantTransactions } from '../merchant-transactions.tsx';
import styles from './invitations.module.css';

type Request = DataOf<Client['joinRequests']['received']>['items'][number];
type AnswerOf = DataOf<Client['joinRequests']['answer']>;

/** Requests of accounts to join, which wait for an answer. */
export function RequestsCard() {
  const { api, key } = useActing();
  const list = [...key, 'joinRequests.received'];
  const queries = useQueryClient();
  const pages = usePages(list, api.joinRequests.received, { status: 'pending', limit: 20 });
  // A request leaves the list when it is answered: what follows must outlive it.
  const [invited, setInvited] = useState<AnswerOf>();
  const [declining, setDeclining] = useState<Request>();
  const invite = useMutation({
    mutationFn: async ({ id }: Request) =>
      (await api.joinRequests.answer({ id, response: 'invite' })).data,
    onSuccess: async (answer) => {
      setInvited(answer);
      await queries.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <Card title="Requests to join">
      <div className="stack">
        {invited && (
          <Panel
            tone="good"
            title={`${shortHex(invited.request.distributor)} is invited`}
            role="status"
          >
            {invited.transaction ? (
              <>
                <p>This campaign lets only allowed accounts join. Allow the account, too:</p>
                <MerchantTransactions
                  transactions={[invited.transaction]}
                  name="Allow it to join"
                />
              </>
            ) : (
              <p>It can join as soon as it accepts the invitation.</p>
            )}
          </Panel>
        )}
        <Issue of={invite.error} />
        <Paged
          pages={pages}
          what="Requests"
          size={[5.1, 8.2]}
          empty="No request waits for an answer. Partners who find a campaign that is by invitation can ask to join it; you answer here."
        >
          {(requests) => (
            <ul className={styles.requests}>
              {requests.map((request) => (
                <li key={request.id}>
                  <RequestItem
                    request={request}
                    isBusy={invite.isPending}
                    onInvite={() => invite.mutate(request)}
                    onDecline={() => setDeclining(request)}
                  />
                </li>
              ))}
            </ul>
          )}
        </Paged>
      </div>
      {declining && <Decline request={declining} onClose={() => setDeclining(undefined)} />}
    </Card>
  );
}

interface ItemProps {
  readonly request: Request;
  readonly isBusy: boolean;
  readonly onInvite: () => void;
  readonly onDecline: () => void;
}

function RequestItem({ request, isBusy, onInvite, onDecline }: ItemProps) {
  const { distributor, campaignId, message, createdAt } = request;
  const may = useMay('admin');
  const title = useCampaign(campaignId).data?.data.product.title ?? `campaign ${campaignId}`;
  const name = shortHex(distributor);
  return (
    <article className="stack" aria-label={`Request of ${name}`}>
      <p>
        <AddressLink address={distributor} to="distributors" /> asks to join{' '}
        <Link href={pathOf('campaign', { campaignId })}>{title}</Link>{' '}
        <span className="soft">
          <Time at={createdAt} />
        </span>
      </p>
      <blockquote className={styles.message}>{message}</blockquote>
      {may && (
        <div className="actions">
          <Button main disabled={isBusy} onClick={onInvite} aria-label={`Invite ${name}`}>
            Invite
          </Button>
          <Button disabled={isBusy} onClick={onDecline} aria-label={`Decline ${name}`}>
            Decline
          </Button>
        </div>
      )}
    </article>
  );
}

interface DeclineProps {
  readonly request: Request;
  readonly onClose: () => void;
}

function Decline({ request: { id, distributor }, onClose }: DeclineProps) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { reason: '' } });
  async function decline({ reason }: { reason: string }) {
    await api.joinRequests.answer({ id, response: 'decline', reason: reason.trim() || undefined });
    await queries.invalidateQueries({ queryKey: [...key, 'joinRequests.received'] });
    onClose();
  }
  return (
    <Dialog title={`Decline ${shortHex(distributor)}`} open onClose={onClose}>
      <Form form={form} onSubmit={decline} name="Decline the request">
        <TextField
          label="Reason (optional)"
          hint="The account reads it."
          maxLength={500}
          {...inputOf(form, 'reason')}
        />
      </Form>
    </Dialog>
  );
}
