/** The types of events, in the order of the events. */
export const typesOf = (events: ReadonlyArray<{ readonly eventType: string }>) =>
  events.map(({ eventType }) => eventType);
