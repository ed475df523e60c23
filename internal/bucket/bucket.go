// Package bucket writes the files of tables as objects of S3, or of what speaks as it does.
package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/dpdissect/dpdissect/internal/tables"
)

// Scheme is what the names of buckets begin with.
const Scheme = "s3://"

// timeout ends a request: a large object over a slow line takes minutes.
const timeout = 10 * time.Minute

// A Bucket is a tables.Store.
type Bucket struct {
	client       *minio.Client
	name, prefix string
	fence        string // an object without which none is put, "" for any
}

// Open gives access to s3://BUCKET/PREFIX. Credentials, region and address are those of the
// environment, as the tools of AWS read them. It asks whether the bucket is there.
func Open(name string) (*Bucket, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(name, Scheme), "/")
	if bucket == "" {
		return nil, errors.New("want s3://BUCKET/PREFIX")
	}
	at, err := url.Parse(cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com"))
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, errors.New("AWS_ENDPOINT_URL: want https://HOST")
	}
	if os.Getenv("AWS_ACCESS_KEY_ID") == "" || os.Getenv("AWS_SECRET_ACCESS_KEY") == "" {
		return nil, errors.New("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	client, err := minio.New(at.Host, &minio.Options{Creds: credentials.NewEnvAWS(), Secure: at.Scheme == "https",
		Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))})
	if err != nil {
		return nil, err
	}
	b := &Bucket{client: client, name: bucket, prefix: strings.Trim(prefix, "/")}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	there, err := client.BucketExists(ctx, bucket)
	if err == nil && !there {
		err = fmt.Errorf("there is no bucket %s, or these credentials may not see it", bucket)
	}
	return b, err
}

// Temporary implements tables.Store.
func (b *Bucket) Temporary() string { return os.TempDir() }

// Create implements tables.Store. An object is there at once or not at all: it is put together in a
// temporary file.
func (b *Bucket) Create(path string) (tables.Pending, error) {
	f, err := os.CreateTemp("", ".dpdissect-object-*")
	if err != nil {
		return nil, err
	}
	return &object{File: f, bucket: b, key: b.key(path)}, nil
}

// key is the name of an object by its path.
func (b *Bucket) key(path string) string {
	if b.prefix != "" {
		path = b.prefix + "/" + path
	}
	return path
}

// Fence names an object: only as long as it is there another one is put. "" is none.
func (b *Bucket) Fence(path string) { b.fence = path }

// Mark makes an object of no bytes.
func (b *Bucket) Mark(ctx context.Context, path string) error {
	_, err := b.client.PutObject(ctx, b.name, b.key(path), strings.NewReader(""), 0, minio.PutObjectOptions{DisableMultipart: true})
	return err
}

// stands reports what is wrong where the fence is not there.
func (b *Bucket) stands(ctx context.Context) error {
	if b.fence == "" {
		return nil
	}
	_, err := b.client.StatObject(ctx, b.name, b.key(b.fence), minio.StatObjectOptions{})
	return err
}

// An object is one that is being written.
type object struct {
	*os.File
	bucket *Bucket
	key    string
}

// Commit implements tables.Pending: it puts the object.
func (o *object) Commit() error {
	defer o.Abort()
	size, err := o.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = o.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err = o.bucket.stands(ctx); err == nil {
		_, err = o.bucket.client.PutObject(ctx, o.bucket.name, o.key, o.File, size, minio.PutObjectOptions{DisableMultipart: true, ContentType: "application/octet-stream"})
	}
	if err != nil {
		return fmt.Errorf("%s%s/%s: %w", Scheme, o.bucket.name, o.key, err)
	}
	return nil
}

// Abort implements tables.Pending.
func (o *object) Abort() {
	o.Close()
	os.Remove(o.Name())
}

// Look gives size and time of the object s3://BUCKET/KEY. One that is not there is fs.ErrNotExist.
func Look(ctx context.Context, name string) (size int64, at time.Time, err error) {
	b, err := Open(name)
	if err != nil {
		return 0, at, err
	}
	info, err := b.client.StatObject(ctx, b.name, b.prefix, minio.StatObjectOptions{})
	return info.Size, info.LastModified.UTC(), notThere(err)
}

// Fetch copies the object s3://BUCKET/KEY.
func Fetch(ctx context.Context, name string, to io.Writer) error {
	b, err := Open(name)
	if err != nil {
		return err
	}
	object, err := b.client.GetObject(ctx, b.name, b.prefix, minio.GetObjectOptions{})
	if err != nil {
		return notThere(err)
	}
	defer object.Close()
	_, err = io.Copy(to, object)
	return notThere(err)
}

// Remove removes the objects whose path below the bucket's prefix begins and ends so.
func (b *Bucket) Remove(ctx context.Context, begin, end string) error {
	for o := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.key(begin), Recursive: true}) {
		if o.Err != nil {
			return o.Err
		}
		if strings.HasSuffix(o.Key, end) {
			if err := b.client.RemoveObject(ctx, b.name, o.Key, minio.RemoveObjectOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Answers reports what is wrong where the bucket does not answer.
func (b *Bucket) Answers(ctx context.Context) error {
	_, err := b.client.BucketExists(ctx, b.name)
	return err
}

func notThere(err error) error {
	if r := minio.ToErrorResponse(err); err != nil && r.Code == minio.NoSuchKey {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
