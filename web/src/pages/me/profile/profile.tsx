import { MINE } from '../../../account/session.ts';
import { api, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import { RankCard } from '../../distributor/rank-card.tsx';
import { RecordCard } from '../../distributor/record-card.tsx';
import { ProfileForm } from './profile-form.tsx';

/** The public profile of the account, to change, with what strangers see; and its own record. */
export function Profile() {
  const query = useApi([MINE, 'reputation.mine'], api.reputation.mine, {});
  return (
    <Answered query={query} what="your profile">
      {({ data }) => (
        <Cards>
          <Card title="Public profile">
            <ProfileForm profile={data} />
          </Card>
          <RecordCard record={data.record} />
          <RankCard record={data.record} />
        </Cards>
      )}
    </Answered>
  );
}
