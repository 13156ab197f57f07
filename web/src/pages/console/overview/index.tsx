import { DisputesDue } from './disputes-due.tsx';
import { Guide, useFirstSteps } from './guide.tsx';
import { Money } from './money.tsx';
import { NextSteps } from './next-steps.tsx';
import { Trend } from './trend.tsx';

/** First section: requests that need an answer, next steps, then sales, rewards and money. */
export default function OverviewSection() {
  const firstSteps = useFirstSteps();
  if (firstSteps !== undefined && !firstSteps.campaign) return <Guide done={firstSteps} />;
  return (
    <>
      {firstSteps && <Guide done={firstSteps} />}
      <DisputesDue />
      <NextSteps />
      <Trend />
      <Money />
    </>
  );
}
