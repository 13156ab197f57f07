import { Card } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { terms } from '../../terms.ts';

/** All terms that the pages explain. */
export function GlossaryPage() {
  const sorted = Object.values(terms).sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return (
    <>
      <PageHead title="Glossary" />
      <Card title="All terms">
        <Facts facts={sorted.map(({ name, text }) => [name, text])} />
      </Card>
    </>
  );
}
