import { DisputesDue } from './disputes-due.tsx';
import { Guide } from './guide.tsx';
import { Money } from './money.tsx';
import { NextSteps } from './next-steps.tsx';
import { Trend } from './trend.tsx';

/** First section: requests that need an answer, next steps, then sales, rewards and money. */
export default function OverviewSection() {
  return (
    <>
      <Guide />
      <DisputesDue />
      <NextSteps />
      <Trend />
      <Money />
    </>
  );
}
