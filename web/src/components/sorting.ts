/** Values of the list's order that sort it by a column, as the API has them; one may be missing. */
export interface SortOrders {
  readonly ascending?: string;
  readonly descending?: string;
}

/** The order that a list is in, and how to change it. */
export interface Sorting {
  readonly order: string;
  readonly onOrder: (order: string) => void;
}
