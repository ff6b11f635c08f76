# How the values of wilks.json were made, with R 4.2.2 and MASS 7.3 of Debian 12: `Rscript wilks.R`. Ranks are those of QR, correlations
# those of `cancor`, and lambda and its degrees of freedom are checked against `summary(manova(...), test = "Wilks")`, which knows neither.
library(MASS)
columns <- c("Type", "DriveTrain", "Wheelbase", "Width", "MPG.city", "MPG.highway", "Horsepower", "Weight", "Price", "Origin")
cars <- Cars93[columns]
indicators <- function(data) do.call(cbind, lapply(data, function(column) {
  if (is.factor(column)) sapply(levels(column), function(level) as.numeric(column == level)) else as.numeric(column)
}))
x <- indicators(cars[c("Type", "DriveTrain", "Wheelbase", "Width")])
y <- as.matrix(cars[c("MPG.city", "MPG.highway", "Horsepower", "Weight")])
z <- indicators(cars[c("Price", "Origin")])

tested <- function(x, y, z) {
  design <- cbind(rep(1, nrow(x)), z)
  left <- function(view) qr.resid(qr(design), view)
  rank <- function(view) qr(left(view), tol = 1e-8)$rank
  independent <- function(view) { found <- qr(left(view), tol = 1e-8); left(view)[, found$pivot[seq_len(found$rank)]] }
  n <- nrow(x); p <- rank(x); q <- rank(y); r <- qr(design)$rank - 1
  rho <- cancor(independent(x), independent(y), xcenter = FALSE, ycenter = FALSE)$cor
  j <- seq_along(rho) - 1
  lambda <- rev(cumprod(rev(1 - rho^2)))
  chi <- -(n - r - 1 - (p + q + 1) / 2) * log(lambda)
  degrees <- (p - j) * (q - j)
  stats <- summary(manova(y ~ design + x), test = "Wilks")$stats["x", ]
  stopifnot(abs(stats["Wilks"] - lambda[1]) < 1e-10, stats["num Df"] == degrees[1])
  list(correlations = rho, lambda = lambda, chi_square = chi, degrees = degrees, p = pchisq(chi, degrees, lower.tail = FALSE),
       f = unname(stats["approx F"]), f_p = unname(stats["Pr(>F)"]))
}

number <- function(values) paste0("[", paste(sprintf("%.15g", values), collapse = ", "), "]")
object <- function(values) paste0("{", paste(sprintf("\"%s\": %s", names(values), sapply(values, number)), collapse = ",\n  "), "}")
text <- function(column) paste0("[", paste(if (is.factor(column)) sprintf("\"%s\"", column) else column, collapse = ", "), "]")
cat("{\"cars\": {\n", paste(sprintf("  \"%s\": %s", columns, sapply(cars, text)), collapse = ",\n"), "},\n", sep = "")
cat("\"plain\":\n ", object(tested(x, y, NULL)), ",\n\"partial\":\n ", object(tested(x, y, z)), "}\n", sep = "")
