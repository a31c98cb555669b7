import { classNames } from '../ui/class-names.js';

/** The look of a row of the navigation. */
export const navRow = (isFolded: boolean): string =>
  classNames(
    'flex min-h-[30px] w-full items-center gap-2.5 rounded-m px-2 text-13 font-medium text-text-2 no-underline! hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:text-text data-[status=active]:ring-1 data-[status=active]:ring-border data-[status=active]:ring-inset data-[status=active]:[&_svg]:text-accent pointer-coarse:min-h-11',
    isFolded ? 'justify-center [&>span]:sr-only' : 'max-lg:justify-center max-lg:[&>span]:sr-only',
  );
