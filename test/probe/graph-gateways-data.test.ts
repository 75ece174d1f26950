/** Gateways that join data wrongly, or ask subgraphs in a wrong way. */
import { testWrongGateways } from './graph-gateways/wrong.ts'

testWrongGateways(id => /^GQL-(?:DATA|OVERRIDE|IFACE|KEYS|BATCH|PARALLEL|SERIAL|RETRY|HEADERS|LEAK)$/.test(id))
