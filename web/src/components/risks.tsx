import { type Risk, risksOf } from '../../../engine/core/risks.ts';

interface RisksProps {
  readonly campaign: Parameters<typeof risksOf>[0];
}

const actors = [
  ['merchant', 'The merchant can:'],
  ['anyone', 'Any buyer can:'],
] as const satisfies readonly (readonly [Risk['by'], string])[];

/** Actions of others that the contract allows, and that can cost a campaign's distributors rewards. */
export function Risks({ campaign }: RisksProps) {
  const risks = risksOf(campaign);
  return actors.map(([actor, title]) => {
    const own = risks.filter(({ by }) => by === actor);
    if (own.length === 0) return null;
    return (
      <div key={actor}>
        <p>{title}</p>
        <ul>
          {own.map(({ code, text }) => (
            <li key={code}>{text}</li>
          ))}
        </ul>
      </div>
    );
  });
}
