/** Owns the smallest tools: echo, add and calculate. */
import type { ToolDefinition } from '../../types.ts'
import { ArithmeticError, evaluate } from '../arithmetic.ts'
import { defineTool, fail, textResult } from './define.ts'

const echo = defineTool<{ message: string }>({
  name: 'echo',
  title: 'Echo',
  description: 'Echoes the message.',
  input: { 'message*': { type: 'string', description: 'The message to echo' } },
  output: { message: { type: 'string' }, length: { type: 'integer', description: 'Length in Unicode code points' } },
  call: ({ message }) => textResult(message, { message, length: [...message].length }),
})

const add = defineTool<{ a: number; b: number }>({
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  input: { 'a*': { type: 'number' }, 'b*': { type: 'number' } },
  output: { sum: { type: 'number' } },
  call({ a, b }) {
    const sum = a + b
    if (!Number.isFinite(sum)) fail('the sum is not finite')
    return textResult(String(sum), { sum })
  },
})

const calculate = defineTool<{ expression: string }>({
  name: 'calculate',
  title: 'Calculate',
  description: 'Evaluates an arithmetic expression with + - * / % ^ and parentheses.',
  input: { 'expression*': { type: 'string', maxLength: 512, description: 'For example 2*(3+4)^2' } },
  output: { expression: { type: 'string' }, result: { type: 'number' } },
  call({ expression }) {
    try {
      const result = evaluate(expression)
      return textResult(`${expression} = ${result}`, { expression, result })
    } catch (error) {
      if (error instanceof ArithmeticError) fail(`can't calculate: ${error.message}`)
      throw error
    }
  },
})

export const basicTools: ToolDefinition[] = [echo, add, calculate]
