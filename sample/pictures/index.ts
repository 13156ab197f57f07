import { atlas } from './atlas.ts';
import { baristaKit } from './barista-kit.ts';
import { coffee } from './coffee.ts';
import { iconLibrary } from './icon-library.ts';
import { ridgeWeekend } from './ridge-weekend.ts';
import { shellJacket } from './shell-jacket.ts';
import { typeCourse } from './type-course.ts';

export { logos } from './logos.ts';

/** A picture of a product, and a text for those who do not see it. */
export interface SamplePicture {
  readonly svg: string;
  readonly alt: string;
}

/** Pictures of the products by their ids. They were drawn for this project, and are under its licence. */
export const productPictures: Readonly<Record<string, SamplePicture>> = {
  'single-origin-subscription': {
    svg: coffee,
    alt: 'A bag of coffee next to a cup, with beans on a wooden table',
  },
  'barista-starter-kit': {
    svg: baristaKit,
    alt: 'A kettle, a dripper on a scale, and a hand grinder',
  },
  'type-design-course': {
    svg: typeCourse,
    alt: 'The letter n with the handles of its curves, and a pencil',
  },
  'icon-library-licence': { svg: iconLibrary, alt: 'Icons on white and coloured tiles' },
  'alpine-shell-jacket': { svg: shellJacket, alt: 'An orange jacket with a hood' },
  'guided-ridge-weekend': {
    svg: ridgeWeekend,
    alt: 'Three people on a rope on a ridge at sunrise',
  },
  'quarterly-atlas': { svg: atlas, alt: 'A folded map of a coast, a book, and a compass' },
};
