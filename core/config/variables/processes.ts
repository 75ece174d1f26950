/** Variables of several processes that share a state store. */
import { availableParallelism } from 'node:os'
import { boolean, parser, wholeNumber } from '../../contract/parsers.ts'
import { stateStoreUrl } from '../address-parsers.ts'
import { nullableText, row, type Variable } from './variable.ts'

const storePrefix = parser('1 to 32 of a-z, 0-9, period, hyphen and underscore', value =>
  /^[a-z0-9][a-z0-9._-]{0,31}$/.test(value) ? value : undefined,
)
const storeSecret = parser<string | null>('text of at least 32 characters', value =>
  value.length >= 32 ? value : undefined,
)
const workerCount = parser('number of processes, 1 to 64, or auto', value => {
  if (value.toLowerCase() === 'auto') return Math.min(availableParallelism(), 64)
  return /^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= 64 ? Number(value) : undefined
})

export const PROCESSES: readonly Variable[] = [
  row({
    name: 'SVC_PARENT_PIPE',
    field: 'parentPipe',
    parser: boolean,
    default: false,
    shownAs: null,
    description:
      'Stop when standard input ends, so that svc ends with the program that started it. The clients for tests set it.',
  }),
  row({
    name: 'SVC_WORKERS',
    field: 'workers',
    parser: workerCount,
    default: 1,
    shownAs: 'workers',
    description:
      'Number of processes behind one set of ports; `auto` means one for each core. Without `SVC_STATE_STORE` each has its own state.',
  }),
  row({
    name: 'SVC_STATE_STORE',
    field: 'stateStore.url',
    parser: stateStoreUrl,
    default: null,
    defaultText: 'none: state is in the memory of the process',
    shownAs: 'state_store_configured',
    secret: true,
    description:
      'URL of the Redis or Valkey server in which all replicas keep their state. `local` starts one that ends with svc, for `SVC_WORKERS`.',
  }),
  row({
    name: 'SVC_STATE_STORE_PASSWORD',
    field: 'stateStore.password',
    parser: nullableText,
    default: null,
    shownAs: null,
    secret: true,
    description: 'Password for the state store, instead of one in the URL.',
  }),
  row({
    name: 'SVC_STATE_STORE_PREFIX',
    field: 'stateStore.prefix',
    parser: storePrefix,
    default: 'svc',
    shownAs: 'state_store_prefix',
    description: 'Beginning of all keys and channels; deployments that use one server need different ones.',
  }),
  row({
    name: 'SVC_STATE_STORE_CA',
    field: 'stateStore.ca',
    parser: nullableText,
    default: null,
    defaultText: 'the CAs of the system',
    shownAs: null,
    description: 'Path of a PEM file with the CA of a `rediss://` server.',
  }),
  row({
    name: 'SVC_STATE_STORE_CLUSTER',
    field: 'stateStore.isCluster',
    parser: boolean,
    default: false,
    shownAs: 'state_store_cluster',
    description: 'Whether the URL leads to a node of a cluster.',
  }),
  row({
    name: 'SVC_STATE_STORE_TIMEOUT_MS',
    field: 'stateStore.timeoutMs',
    parser: wholeNumber(50, 10_000, 'milliseconds'),
    default: 1_000,
    shownAs: 'state_store_timeout_ms',
    description: 'Time limit of an operation of the state store, in milliseconds.',
  }),
  row({
    name: 'SVC_STATE_STORE_SECRET',
    field: 'stateStore.secret',
    parser: storeSecret,
    default: null,
    shownAs: 'state_store_encrypted',
    show: config => config.stateStore.secret !== null,
    secret: true,
    description: 'Text that encrypts credentials in the state store; the same for all replicas.',
  }),
]
