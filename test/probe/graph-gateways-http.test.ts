/** Gateways that are wrong about documents, the schema, HTTP and files. */
import { testWrongGateways } from './graph-gateways/wrong.ts'

testWrongGateways(id => /^GQL-(?:APQ|TRUSTED|INTROSPECTION|HIDDEN|STATUS|CSRF|LIMITS|DEFER|UPLOAD)$/.test(id))
