import { Card } from '../../../components/card.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { ForRole } from '../for-role.tsx';
import { useProfile } from '../use-profile.ts';
import { BillingCard } from './billing-card.tsx';
import { CloseCard } from './close-card.tsx';
import { LogoCard } from './logo-card.tsx';
import { ProfileForm } from './profile-form.tsx';

/** Profile, logo, fees, and closing; for an account without a profile, its setup. */
export default function SettingsSection() {
  const profile = useProfile();
  if (profile.isPending) return <Loading what="your profile" />;
  if (profile.isError) {
    return (
      <Failure error={profile.error} what="Your profile" onRetry={() => void profile.refetch()} />
    );
  }
  if (profile.data === null) {
    return (
      <Card title="Set up your profile">
        <ForRole needs="owner">
          <ProfileForm />
        </ForRole>
      </Card>
    );
  }
  const { closedAt } = profile.data;
  return (
    <>
      {closedAt !== null && (
        <Panel tone="warn" title="This merchant is closed">
          <p>
            It was closed <Time at={closedAt} />. Nothing of it can be changed or bought here any
            more; what was sold stays readable.
          </p>
        </Panel>
      )}
      {closedAt === null && (
        <>
          <Card title="Profile">
            <ForRole needs="admin">
              <ProfileForm profile={profile.data} />
            </ForRole>
          </Card>
          <LogoCard profile={profile.data} />
        </>
      )}
      <BillingCard />
      {closedAt === null && <CloseCard profile={profile.data} />}
    </>
  );
}
