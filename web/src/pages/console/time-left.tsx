import { Badge, type Tone } from '../../components/badge.tsx';
import { useNow } from '../../components/time.tsx';
import { duration, utcTime } from '../../format.ts';

/** Seconds below which a deadline is urgent. */
const URGENT_SECONDS = 86_400;

/** Time that is left until a deadline: `5 h 20 min left`; the exact time is in its title. */
export function TimeLeft({ until }: { readonly until: string }) {
  const { tone, text } = timeLeft(until, useNow());
  return (
    <span title={utcTime(until)}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

/** Time that is left until a deadline, in words. @param now milliseconds since 1970. */
function timeLeft(until: string, now: number): { tone: Tone; text: string } {
  const seconds = Math.floor((Date.parse(until) - now) / 1_000);
  if (seconds <= 0) return { tone: 'bad', text: 'time is over' };
  return { tone: seconds < URGENT_SECONDS ? 'bad' : 'warn', text: `${duration(seconds)} left` };
}
