/** Gateways that join data wrongly, or ask subgraphs in a wrong way. */
import t from 'tap'
import { testWrongGateways } from './graph-gateways/wrong.ts'

testWrongGateways(t, id => /^GQL-(?:DATA|OVERRIDE|IFACE|KEYS|BATCH|PARALLEL|SERIAL|RETRY|HEADERS|LEAK)$/.test(id))
