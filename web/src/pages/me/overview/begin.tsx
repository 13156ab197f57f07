import { pathOf } from '../../../../../engine/contract/pages.ts';
import { FirstSteps } from '../../../components/first-steps.tsx';

/** The way to the first reward, for an account that has no link yet. */
export function Begin() {
  return (
    <FirstSteps
      title="Earn with a link of your own"
      why="Recommend what you like. Each sale through your link pays you a part of it, and the contract holds your money."
      action="Choose a campaign"
      steps={[
        {
          title: 'Choose a campaign',
          text: 'You see what a sale pays you before you join. Joining costs the fee of one transaction.',
          href: pathOf('join'),
        },
        {
          title: 'Share your link',
          text: 'In a newsletter, a video or a message. Its page shows the visits and the sales.',
        },
        {
          title: 'Get paid',
          text: 'Once a sale cannot be refunded any more, one button on this page pays you everything.',
        },
      ]}
    />
  );
}
