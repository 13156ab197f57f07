import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { EarningsRange } from '../../../components/earnings-range.tsx';
import { Form } from '../../../components/form.tsx';
import { Panel } from '../../../components/panel.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { Time } from '../../../components/time.tsx';
import { inputOf } from '../../../form-issues.ts';
import { useCampaign } from '../../../offer/use-offer.ts';
import { JoinFlow } from './join-flow.tsx';

type Request = DataOf<typeof api.joinRequests.mine>['items'][number];

interface Props {
  readonly campaignId: string;
  readonly address: string;
}

/** For a campaign by invitation: joining, if the merchant allowed the account, or else the request to be invited. */
export function AskOrJoin({ campaignId, address }: Props) {
  const key = [MINE, 'links.joinPreview', address];
  const query = useApi(key, api.links.joinPreview, { campaignId });
  return (
    <Answered query={query} what="The campaign">
      {({ data }) =>
        data.reasons.includes('not_allowed') ? (
          <AskToJoin campaignId={campaignId} />
        ) : (
          <JoinFlow campaignId={campaignId} address={address} />
        )
      }
    </Answered>
  );
}

function AskToJoin({ campaignId }: Pick<Props, 'campaignId'>) {
  const key = [MINE, 'joinRequests.mine'];
  const query = useApi(key, api.joinRequests.mine, { campaignId, limit: 1 });
  return (
    <div className="stack">
      <Offered campaignId={campaignId} />
      <Answered query={query} what="Your request">
        {({ data }) => {
          const [last] = data.items;
          return last === undefined ? <Ask campaignId={campaignId} /> : <Asked request={last} />;
        }}
      </Answered>
    </div>
  );
}

function Offered({ campaignId }: Pick<Props, 'campaignId'>) {
  const campaign = useCampaign(campaignId).data?.data;
  if (campaign === undefined) return null;
  const { price, policy, token } = campaign;
  return <EarningsRange price={price} terms={policy} token={token} />;
}

function Ask({ campaignId }: Pick<Props, 'campaignId'>) {
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { message: '' } });
  async function ask({ message }: { message: string }) {
    await api.joinRequests.send({ campaignId, message });
    await queries.invalidateQueries({ queryKey: [MINE, 'joinRequests.mine'] });
  }
  return (
    <Form form={form} onSubmit={ask} name="Send the request" busy="Sending…">
      <p>
        The merchant decides who may join. Say who you are and where you would share the product.
      </p>
      <TextField
        label="Message to the merchant"
        hint="Your site or channel, and who follows it. At most 1000 characters."
        rows={4}
        maxLength={1_000}
        {...inputOf(form, 'message', (text) =>
          text.trim() === '' ? 'Say a few words about yourself.' : undefined,
        )}
      />
    </Form>
  );
}

function Asked({ request }: { readonly request: Request }) {
  const { status, createdAt, answeredAt, reason, message } = request;
  if (status === 'invited') {
    return (
      <Panel tone="good" title="You are invited" role="status">
        <p>
          The merchant answered your request. Accept the invitation under “Invitations”; you can
          join once the merchant’s transaction is settled.
        </p>
      </Panel>
    );
  }
  if (status === 'declined') {
    return (
      <Panel title="The merchant declined your request" role="status">
        {reason !== null && <blockquote>{reason}</blockquote>}
        <p className="soft">
          Answered {answeredAt && <Time at={answeredAt} />}. You can ask again 30 days after it.
        </p>
      </Panel>
    );
  }
  return (
    <Panel tone="good" title="Your request was sent" role="status">
      <p>
        Sent <Time at={createdAt} />. The merchant’s answer appears here, and as an invitation in
        your account.
      </p>
      <blockquote className="lines">{message}</blockquote>
    </Panel>
  );
}
