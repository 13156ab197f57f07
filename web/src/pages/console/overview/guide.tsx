import { useApi } from '../../../api.ts';
import { Card } from '../../../components/card.tsx';
import { FirstSteps } from '../../../components/first-steps.tsx';
import { useActing, useMay } from '../acting.tsx';
import { useOwnCampaigns } from '../own-campaigns.tsx';
import { sectionPath } from '../paths.ts';
import { ProfileForm } from '../settings/profile-form.tsx';
import { useProfile } from '../use-profile.ts';

type Done = Readonly<Record<'profile' | 'product' | 'campaign', boolean>>;

/** True for each first step that is done; `undefined` while it is read, and once all steps are done. */
export function useFirstSteps(): Done | undefined {
  const { api, key } = useActing();
  const profile = useProfile();
  const campaigns = useOwnCampaigns();
  const products = useApi([...key, 'products.list'], api.products.list, { limit: 1 });
  if (!profile.isSuccess || !campaigns.isSuccess || !products.isSuccess) return undefined;
  const done = {
    profile: profile.data !== null,
    product: products.data.data.items.length > 0,
    campaign: campaigns.data.data.items.some(({ kind }) => kind === 'campaign'),
  };
  const isOver = done.profile && (done.campaign || profile.data?.closedAt !== null);
  return isOver ? undefined : done;
}

/** The first steps of a new merchant: profile, product, campaign. */
export function Guide({ done }: { readonly done: Done }) {
  const isOwner = useMay('owner');
  return (
    <>
      <FirstSteps
        title="Begin to sell"
        why="Three steps to your first sale. Partners bring you buyers, and you pay them only for sales."
        action={actionOf(done, isOwner)}
        steps={[
          {
            title: 'Your profile',
            text: 'Your name and address, as buyers see them.',
            href: sectionPath('settings'),
            done: done.profile,
          },
          {
            title: 'A product',
            text: 'Your offer with its price, pictures and delivery.',
            href: sectionPath('products'),
            done: done.product,
          },
          {
            title: 'A campaign',
            text: 'The rules of its rewards, and a deposit that pays them.',
            href: sectionPath('campaigns'),
            done: done.campaign,
          },
        ]}
      />
      {!done.profile && isOwner && (
        <Card title="Your profile">
          <ProfileForm />
        </Card>
      )}
    </>
  );
}

/** Text of the button for the next step; none for the profile, whose form is below. */
function actionOf({ profile, product }: Done, isOwner: boolean): string | undefined {
  if (profile) return product ? 'Create a campaign' : 'Describe a product';
  return isOwner ? undefined : 'Set up your profile';
}
