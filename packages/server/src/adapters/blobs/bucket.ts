import type { S3Client } from '@aws-sdk/client-s3';

export interface Bucket {
  client: S3Client;
  name: string;
}
