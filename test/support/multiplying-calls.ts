/** Finds the calls that expand, repeat, search or resolve, whose cost follows from their arguments. */
import { nodesOf, parseSource, sourceFiles, type SyntaxNode } from './sources.ts'

/** Functions of the product that expand templates, search with patterns or paths, or follow references. */
const FUNCTIONS = new Set([
  'expandText',
  'expandValue',
  'expandTexts',
  'fillText',
  'fillValue',
  'linearPattern',
  'compileJsonPath',
  'memberAt',
  'valueAt',
  'mergePatch',
  'followChain',
  'deepEqual',
])
/** Methods whose result has the size of an argument. */
const METHODS = new Set(['repeat', 'padEnd', 'padStart'])
const ALLOCATIONS = new Set(['alloc', 'allocUnsafe', 'allocUnsafeSlow'])

/** The calls of each file, such as `repeat` or `Array.from`, without those whose size is a constant. */
export function multiplyingCalls(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const file of sourceFiles()) {
    if (!/^(?:core|plugins)\//.test(file) || isOfBrowser(file)) continue
    const calls = new Set<string>()
    for (const node of nodesOf(parseSource(file).program)) {
      const name = multiplying(node)
      if (name !== null) calls.add(name)
    }
    if (calls.size > 0) found.set(file, calls)
  }
  return found
}

/** Code that runs in the browser costs the server nothing. */
function isOfBrowser(file: string): boolean {
  return file.startsWith('plugins/console/client/')
}

function multiplying(node: SyntaxNode): string | null {
  const { callee, arguments: list } = node as unknown as { callee?: SyntaxNode; arguments?: SyntaxNode[] }
  if (callee === undefined || list === undefined) return null
  const name = nameOf(callee)
  const first = list[0]
  if (node.type === 'NewExpression') {
    if (name === 'TextSearch') return 'new TextSearch'
    return name === 'RegExp' && !isConstant(first) ? 'new RegExp' : null
  }
  if (node.type !== 'CallExpression') return null
  if (callee.type === 'Identifier') return name !== null && FUNCTIONS.has(name) ? name : null
  if (callee.type !== 'MemberExpression' || name === null) return null
  const object = nameOf(callee.object as SyntaxNode)
  if (object === 'Buffer') return ALLOCATIONS.has(name) && !isConstant(first) ? `Buffer.${name}` : null
  if (object === 'Array' && name === 'from') return first !== undefined && isLength(first) ? 'Array.from' : null
  return METHODS.has(name) && !isConstant(first) ? name : null
}

function nameOf(node: SyntaxNode): string | null {
  if (node.type === 'Identifier') return node.name as string
  return node.type === 'MemberExpression' && node.computed !== true ? nameOf(node.property as SyntaxNode) : null
}

/** Whether a value is a number or a pattern in the source: a literal, a constant in capitals, or computed from such. */
function isConstant(node: SyntaxNode | undefined): boolean {
  switch (node?.type) {
    case undefined:
    case 'NumericLiteral':
    case 'StringLiteral':
      return true
    case 'Identifier':
      return /^[A-Z][A-Z\d_]*$/.test(node.name as string)
    case 'BinaryExpression':
      return isConstant(node.left as SyntaxNode) && isConstant(node.right as SyntaxNode)
    default:
      return false
  }
}

/** Whether it is `{ length: n }` with a length that is computed. */
function isLength({ type, properties }: SyntaxNode): boolean {
  if (type !== 'ObjectExpression') return false
  return (properties as SyntaxNode[]).some(
    property => nameOf(property.key as SyntaxNode) === 'length' && !isConstant(property.value as SyntaxNode),
  )
}
