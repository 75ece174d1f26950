/** Rules of the bounded state that outlives a reload. */
export default [
  {
    id: 'STATE-1',
    rule: 'A store never holds more entries than maxCount; excess entries are evicted in the order of evict.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-2',
    rule: 'A store never holds more memory than maxBytes, including keys and its own records; a larger value is not stored and evicts nothing.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-3',
    rule: 'An entry expires ttlMs after it was set, or last used with ttlFrom use; its own ttlMs takes precedence.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-4',
    rule: 'A group holds at most maxPerGroup entries; its own oldest entry is evicted first.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-5',
    rule: 'Evicts the first inserted with oldest, the least recently used with idle, the first to expire with expiring; peek does not count as use.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-6',
    rule: 'If several callers take a value, exactly one gets it.',
    where: 'plugin contract, Store.take',
  },
  {
    id: 'STATE-7',
    rule: 'update replaces a value atomically; undefined removes it.',
    where: 'plugin contract, Store.update',
  },
  {
    id: 'STATE-8',
    rule: 'Subscribers are notified of every change with its kind, in order, including changes made during notifications.',
    where: 'plugin contract, Store.subscribe',
  },
  {
    id: 'STATE-9',
    rule: 'list returns entries in insertion order or newest first, by group, by a condition, up to a limit.',
    where: 'plugin contract, Store.list',
  },
  {
    id: 'STATE-10',
    rule: 'Expired entries free their memory even if nobody reads them.',
    where: 'toolbox 9, last rule of the feed',
  },
  {
    id: 'STATE-11',
    rule: 'The same name gives the same store in every generation of the same code, under the newer bounds.',
    where: 'core 10.4; plugin contract, Svc.state',
  },
  {
    id: 'STATE-12',
    rule: 'A plugin whose code changed starts with empty state; the old version keeps its own until it has drained.',
    where: 'core 10.4',
  },
  {
    id: 'STATE-13',
    rule: 'A shared object is created once and disposed of once, with the last generation that holds it.',
    where: 'core 10.6; plugin contract, Svc.shared',
  },
  {
    id: 'STATE-14',
    rule: 'If disposing fails, the error is reported with its plugin, and other disposals continue.',
    where: 'plugin contract, life of a plugin 9',
  },
  {
    id: 'STATE-15',
    rule: 'Endless inserts never exceed the bounds on count and bytes.',
    where: 'specification, Bounded state and caps',
  },
]
