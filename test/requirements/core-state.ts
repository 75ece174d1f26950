/** Rules of the bounded stores that survive reloads. */
export default [
  {
    id: 'STATE-1',
    rule: 'A store never holds more entries than maxCount; excess entries are evicted in the order of evict.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-2',
    rule: 'A store never uses more memory than maxBytes, including keys and overhead; a value above it is not kept and evicts nothing.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-3',
    rule: 'An entry lives for ttlMs from when it was set, or last used with ttlFrom use; its own ttlMs takes precedence.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-4',
    rule: 'A group holds at most maxPerGroup entries; its oldest entry is evicted.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-5',
    rule: 'Evicts the entry inserted first (oldest), least recently used (idle) or expiring first (expiring); peek does not count as use.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-6',
    rule: 'If several callers race for take, exactly one gets the value.',
    where: 'plugin contract, Store.take',
  },
  {
    id: 'STATE-7',
    rule: 'update replaces a value atomically; undefined removes it.',
    where: 'plugin contract, Store.update',
  },
  {
    id: 'STATE-8',
    rule: 'Subscribers are notified of every change with its kind, in order, including changes made while they are notified.',
    where: 'plugin contract, Store.subscribe',
  },
  {
    id: 'STATE-9',
    rule: 'list returns entries in insertion order or newest first, by group, by a condition, up to a limit.',
    where: 'plugin contract, Store.list',
  },
  {
    id: 'STATE-10',
    rule: 'Expired entries free their memory without being accessed.',
    where: 'toolbox 9, last rule of the feed',
  },
  {
    id: 'STATE-11',
    rule: 'Generations get the same store for the same name, with the newer bounds.',
    where: 'core 10.4; plugin contract, Svc.state',
  },
  {
    id: 'STATE-12',
    rule: 'A plugin whose code changed goes on with its data; with another schema it starts empty, and the old version keeps its data until it has drained.',
    where: 'core 10.4',
  },
  {
    id: 'STATE-13',
    rule: 'A shared object is created once, and disposed of once with the last generation that uses it.',
    where: 'core 10.6; plugin contract, Svc.shared',
  },
  {
    id: 'STATE-14',
    rule: 'A failed disposal is reported with its plugin and does not affect others.',
    where: 'plugin contract, life of a plugin 9',
  },
  {
    id: 'STATE-15',
    rule: 'Endless inserting keeps count and bytes within their bounds.',
    where: 'specification, Bounded state and caps',
  },
  {
    id: 'STATE-21',
    rule: 'Entries of an event log are numbered from 1 by stream, and a number is never used twice.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-22',
    rule: 'An event log is bounded in entries and bytes, by stream and in all; the oldest go first.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-23',
    rule: 'A follower gets what is kept after a number and then what comes, in order and once.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-24',
    rule: 'A stream ends with the entry of its store, or some time after its last entry.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-25',
    rule: 'A replicated value is there before the first request; updates apply in turn.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-26',
    rule: 'Messages reach every living replica in turn; asking one that is gone fails at once.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-27',
    rule: 'A replica without a shared store is alone, its own leader, and has secrets of its own.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-28',
    rule: 'Strict stores, logs, registers and channels return copies (registers: frozen values), take plain JSON only, and may run a change twice.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-29',
    rule: 'Numbers are incremented atomically, and entries of a group are counted.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-30',
    rule: 'Spare entries are evicted and listed before the others, in all and within their group.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-31',
    rule: 'Everything that a built-in plugin or the core keeps between requests is in a table, with its place when replicas share a store.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-32',
    rule: 'Health, plugin switches, the demo CA and the pair of the demo client are the same at every replica.',
    where: 'replicas 3 and 7',
  },
  {
    id: 'STATE-33',
    rule: 'The inspector shows the requests of all replicas, in lists, single entries, counts and feeds, and deletes them everywhere.',
    where: 'replicas 8',
  },
  {
    id: 'STATE-34',
    rule: 'A shared store gives the same results as memory, and the bounds hold for all replicas together.',
    where: 'replicas 4 and 5',
  },
  {
    id: 'STATE-35',
    rule: 'Replicas see the changes of each other: entries, changes of watched stores, appended entries, registers, messages and secrets.',
    where: 'replicas 4 to 7',
  },
  {
    id: 'STATE-36',
    rule: 'While the store is unavailable, operations fail at once; afterwards subscriptions, followers and registers continue.',
    where: 'replicas 13',
  },
  {
    id: 'STATE-37',
    rule: 'A store that is full refuses writes as a whole, and answers reads, takes and deletes.',
    where: 'replicas 13',
  },
  {
    id: 'STATE-38',
    rule: 'Credentials are neither in names nor, with SVC_STATE_STORE_SECRET, in values of the store.',
    where: 'replicas 14',
  },
  {
    id: 'STATE-39',
    rule: 'SVC_WORKERS runs several processes behind one set of ports, with one exit code and one sum of metrics.',
    where: 'replicas 2',
  },
  {
    id: 'STATE-40',
    rule: 'Responses name their replica; /_svc/replicas and /_svc/status show all of them and the store; health can be switched for one.',
    where: 'replicas 7.1',
  },
  {
    id: 'STATE-41',
    rule: 'What a lost replica worked on ends within 15 seconds: A2A tasks as FAILED, resumed MCP calls with -32603. A replica that was suspended takes its place again.',
    where: 'replicas 10, 11',
  },
  {
    id: 'STATE-42',
    rule: 'A rolling update of all replicas fails no request.',
    where: 'replicas 17',
  },
  {
    id: 'STATE-43',
    rule: 'Requests that need no state use no operation of the store, and others no more than they need; forgotten scripts are sent again.',
    where: 'replicas 4.2, 9',
  },
  {
    id: 'STATE-44',
    rule: 'With a state store, plans and API keys are limited by what all replicas have admitted together; without it for a time, each counts on its own and reports it later.',
    where: 'replicas 9, limits 2, 8',
  },
  {
    id: 'STATE-45',
    rule: '`startReplicas` starts servers of one deployment, in a store or in the memory of the process, with the same results.',
    where: 'replicas 16',
  },
  {
    id: 'STATE-46',
    rule: 'Replicas keep what they have read of an immutable store, and serve it no more once it was removed.',
    where: 'replicas 9',
  },
  {
    id: 'STATE-47',
    rule: 'An update can append entries to logs of its store in the same step: both happen, or neither.',
    where: 'replicas 11',
  },
  {
    id: 'STATE-48',
    rule: 'The state store can be a cluster; replicas go on after the failover of one of its servers.',
    where: 'replicas 2, 13',
  },
  {
    id: 'STATE-49',
    rule: 'Unmodified clients of MCP, A2A, OpenID Connect and models work with three replicas, and get the errors of their protocols when a replica or the store fails.',
    where: 'replicas 13',
  },
  {
    id: 'STATE-50',
    rule: 'Lists of captured requests, requests of mocks and records of the mock LLM are in the order of arrival, whichever replica logged them first.',
    where: 'replicas 8',
  },
]
