/** The subgraph `reviews`: reviews with provided names, an interface object, uploads and a subscription. */
import { createHash, randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import type { DemoReview } from '../../demo-data/types.ts'
import type { Graphs, UploadedFile } from '../../graphql/types.ts'
import { findEntity } from '../entity-keys.ts'
import { take, toCents, type Rows } from '../rows.ts'
import { REVIEWS } from '../schemas/reviews.ts'
import { seenBy } from '../seen.ts'
import { CORE_SETS, RELEASE, type Representation, type Subgraph } from '../subgraph.ts'

interface NewReview {
  productId: string
  userId: string
  rating: number
  comment: string
}

export function reviewsSubgraph({ reviews, users, products, offers }: Rows, pace: Graphs['pace']): Subgraph {
  const userOf = (id: string): object => ({
    __typename: 'User',
    id,
    name: users.find(user => user.id === id)?.name,
    reviews: () => reviews.filter(({ userId }) => userId === id).map(reviewOf),
  })
  const ofProducts = (ids: readonly string[]): DemoReview[] =>
    reviews.filter(({ productId }) => ids.includes(productId))
  const productOf = (id: string): object => ({
    id,
    reviews: () => ofProducts([id]).map(reviewOf),
    averageRating: () => averageOf(ofProducts([id])),
  })
  const reviewOf = ({ userId, productId, ...review }: DemoReview): object => ({
    ...review,
    author: () => userOf(userId),
    product: () => productOf(productId),
  })

  function resolve(typename: string, representation: Representation): object | null {
    const rowIn = <Row extends { id: string }>(rows: readonly Row[]): Row | null =>
      findEntity(rows, [['id']], ({ id }) => ({ id }), representation)
    switch (typename) {
      case 'Review': {
        const row = rowIn(reviews)
        return row && reviewOf(row)
      }
      case 'User': {
        const row = rowIn(users)
        return row && userOf(row.id)
      }
      case 'Product': {
        const row = rowIn(products)
        return row && productOf(row.id)
      }
      default: {
        const row = rowIn(offers)
        if (row === null) return null
        const own = ofProducts(row.productIds)
        return { id: row.id, reviewCount: own.length, averageRating: averageOf(own) }
      }
    }
  }

  return {
    name: 'reviews',
    sets: CORE_SETS,
    federation: '2.3',
    sdl: REVIEWS,
    uploads: true,
    example: '{ reviews(limit: 2) { rating comment author { name } product { id } } }',
    resolve,
    root: {
      review({ id }: { id: string }) {
        const row = reviews.find(review => review.id === id)
        return row === undefined ? null : reviewOf(row)
      },
      reviews: ({ limit }: { limit: number }) => take(reviews, limit).map(reviewOf),
      reviewsSeen: seenBy('reviews'),
      release: RELEASE,
      addReview({ productId, userId, rating, comment }: NewReview) {
        if (rating < 1 || rating > 5) throw badInput(`invalid rating ${rating} (expected 1 to 5)`)
        const createdAt = new Date().toISOString()
        return reviewOf({ id: randomUUID(), productId, userId, rating, comment, createdAt })
      },
      attachPhoto({ reviewId, photo }: { reviewId: string; photo: UploadedFile | string }) {
        if (!reviews.some(({ id }) => id === reviewId)) throw badInput(`no review has the id ${shown(reviewId)}`)
        if (typeof photo !== 'object' || !Buffer.isBuffer(photo.content))
          throw badInput('photo is not a file of a multipart request')
        const { filename, mimetype, content } = photo
        return { filename, mimetype, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
      },
      reviewAdded({ productId, count, intervalMs }: { productId?: string | null; count: number; intervalMs: number }) {
        const rows = productId == null ? reviews : ofProducts([productId])
        if (rows.length === 0) return noEvents()
        return pace({ count, intervalMs }, index => ({ reviewAdded: reviewOf(rows[index % rows.length]!) }))
      },
    },
  }
}

/** Two decimals; null without reviews. */
function averageOf(reviews: readonly DemoReview[]): number | null {
  if (reviews.length === 0) return null
  return toCents(reviews.reduce((sum, { rating }) => sum + rating, 0) / reviews.length)
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}

async function* noEvents(): AsyncGenerator<never> {}
