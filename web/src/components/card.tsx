import { type ReactNode, useContext, useEffect, useId } from 'react';
import styles from './card.module.css';
import { TitleShown } from './title-shown.ts';

interface CardProps {
  readonly title: string;
  /** Where links to it lead. */
  readonly id?: string | undefined;
  /** Shown next to the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page, with its heading: a landmark of that name. */
export function Card({ title, id, aside, children }: CardProps) {
  const heading = useId();
  const isRepeated = useContext(TitleShown) === title;
  // A card is there only once its data is: too late for the browser to go to it.
  useEffect(() => {
    if (id !== undefined && location.hash === `#${id}`) {
      document.getElementById(id)?.scrollIntoView();
    }
  }, [id]);
  return (
    <section className={styles.card} id={id} aria-labelledby={heading}>
      <div className={styles.head}>
        <h2 id={heading} className={isRepeated ? 'visually-hidden' : undefined}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Cards of a page, one under the other. */
export function Cards({ children }: { readonly children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>;
}
