import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Panel } from '../../../components/panel.tsx';
import { ReferralLink } from '../../../components/referral-link.tsx';

interface JoinedLinkProps {
  readonly campaignId: string;
  /** Links that the account had in the campaign before. */
  readonly before: readonly string[];
}

/** The link that an account just got, to share. */
export function JoinedLink({ campaignId, before }: JoinedLinkProps) {
  const query = useApi([MINE, 'links.mine', 'joined', before.length], api.links.mine, {
    campaignId,
    limit: 1,
  });
  return (
    <Panel tone="good" title="You have joined" role="status">
      <Answered query={query} what="your new link">
        {({ data: { items } }) => {
          const link = items.find(({ nodeId }) => !before.includes(nodeId));
          if (link === undefined) return <p>Your new link will appear under your links.</p>;
          return (
            <>
              <p>Share this link. You earn from each sale that comes through it.</p>
              <p>
                {link.code !== null && (
                  <ReferralLink code={link.code} title={link.campaign.product.title} />
                )}
              </p>
              <p>
                <Link href={pathOf('myLink', link)}>Name it, and follow its sales</Link>
              </p>
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}
